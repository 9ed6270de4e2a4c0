package files

const nonblock = 0 // a browser has no pipes
