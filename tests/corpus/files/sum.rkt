#lang racket
;; sum.rkt - sum.scm in Racket
(define (next x) (modulo (* x 16807) 2147483647))
(define (loop i x sum) (if (= i 20000) sum (loop (+ i 1) (next x) (+ sum (modulo x 1009)))))
(display (loop 0 1 0)) (newline)
(define (fact n) (if (< n 2) 1 (* n (fact (- n 1)))))
(display (fact 60)) (newline)
(define (tak x y z) (if (not (< y x)) z (tak (tak (- x 1) y z) (tak (- y 1) z x) (tak (- z 1) x y))))
(display (tak 12 8 4)) (newline)
(display (call-with-current-continuation (lambda (k) (for-each (lambda (v) (if (> v 3) (k v))) '(1 2 3 4 5)) 0))) (newline)
(define v (make-vector 1000 1.5))
(let fill ((i 0)) (if (< i 1000) (begin (vector-set! v i (sqrt i)) (fill (+ i 1)))))
(display (let add ((i 0) (s 0.0)) (if (= i 1000) s (add (+ i 1) (+ s (vector-ref v i)))))) (newline)
(exit 5)
