package study

var paper004 = Paper{Number: "004", Title: "Shangguan et al. 2024: sliding-mode compensation of several actuators", Items: []Item{}}
