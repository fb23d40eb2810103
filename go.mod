module github.com/toolfall/toolfall

go 1.26.0
