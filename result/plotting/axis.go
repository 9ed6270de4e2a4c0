package plotting

// Room is the part of the range of an axis that is left free at both ends.
const Room = 0.04
