package study

var paper000 = Paper{Number: "000", Title: "Wang, Xu, Li and Wu 2020: compensation with a discrete model", Items: []Item{}}
