// worker.js - threads of V8: two workers, shared memory, Atomics, a message back.
const { Worker, isMainThread, workerData, parentPort } = require("worker_threads");
if (isMainThread) {
    const shared = new Int32Array(new SharedArrayBuffer(16));
    let left = 2;
    for (let i = 0; i < 2; i++)
        new Worker(__filename, { workerData: shared }).on("exit", () => { if (--left === 0) console.log(shared[0], shared[1]); });
} else {
    for (let i = 0; i < 20000; i++) Atomics.add(workerData, 0, 1);
    Atomics.add(workerData, 1, 1);
}
