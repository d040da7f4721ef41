# threads.py - threads that wait for one another, queues, locks, a pool, signals to the main thread.
import queue, signal, sys, threading, time, os
q, results, lock = queue.Queue(5), [], threading.Lock()
def produce():
    for i in range(300):
        q.put(i)
    for _ in range(3):
        q.put(None)
def consume():
    total = 0
    while True:
        v = q.get()
        if v is None:
            break
        total += v
    with lock:
        results.append(total)
threads = [threading.Thread(target=produce)] + [threading.Thread(target=consume) for _ in range(3)]
for t in threads: t.start()
for t in threads: t.join()
print(sum(results), len(results))
hits = []
signal.signal(signal.SIGUSR1, lambda *_: hits.append(1))
for _ in range(20):
    threading.Thread(target=lambda: os.kill(os.getpid(), signal.SIGUSR1)).start()
    while threading.active_count() > 1: time.sleep(0.0005)
print(len(hits) > 0)
signal.signal(signal.SIGALRM, lambda *_: hits.append(2))
signal.setitimer(signal.ITIMER_REAL, 0.01)
while 2 not in hits: pass
event = threading.Event()
threading.Timer(0.01, event.set).start()
print(event.wait(5))
sys.exit(3)
