# processes.py - subprocesses, pipes, fork, multiprocessing with shared memory, death by signals.
import multiprocessing, os, signal, subprocess, sys
print(subprocess.run(["sh", "-c", "echo out; echo err >&2; exit 3"], capture_output=True))
p = subprocess.Popen(["cat"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
print(p.communicate(b"through a pipe"), p.returncode)
p = subprocess.Popen(["sleep", "10"])
p.send_signal(signal.SIGTERM)
print(p.wait())
for i in range(5):
    if os.fork() == 0:
        os._exit(i)
print(sorted(os.waitstatus_to_exitcode(os.wait()[1]) for i in range(5)))
def square(v): return v * v
if __name__ == "__main__":
    multiprocessing.set_start_method("fork")
    with multiprocessing.Pool(2) as pool:
        print(pool.map(square, range(10)))
    value = multiprocessing.Value("i", 0)
    def add():
        for _ in range(50):
            with value.get_lock(): value.value += 1
    workers = [multiprocessing.Process(target=add) for _ in range(3)]
    for w in workers: w.start()
    for w in workers: w.join()
    print(value.value)
    sys.stdout.flush()
    os.kill(os.getpid(), signal.SIGKILL)
