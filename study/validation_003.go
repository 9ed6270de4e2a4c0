package study

var paper003 = Paper{Number: "003", Title: "Zhu et al. 2014: prediction with large time steps", Items: []Item{}}
