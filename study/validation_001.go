package study

var paper001 = Paper{Number: "001", Title: "Gálmez 2021: adaptive model-based compensation, calibration, stability", Items: []Item{}}
