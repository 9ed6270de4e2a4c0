package study

var paper002 = Paper{Number: "002", Title: "Ning, Wang and Wu 2020: Kalman-filter compensation on the benchmark", Items: []Item{}}
