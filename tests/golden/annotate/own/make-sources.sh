# Sources that a repository cannot hold: a directory, a name with a blank at its end.
mkdir -p dir.c
printf 'blank\n' >'blank .c'
touch -d '2020-01-01 12:00:00' 'blank .c'
