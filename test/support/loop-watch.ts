/** The longest stretch for which this thread computed without letting anything else run. */
export interface LoopWatch extends Disposable {
  /** Milliseconds of processor time, so that a busy machine adds nothing. */
  longestMs(): number;
}

/**
 * Watches the event loop of the test itself: what it computes between two looks of a timer is one block. Take the figure before
 * `using` ends it, and fail the test on more than 50 ms.
 */
export function watchLoop(): LoopWatch {
  let before = process.threadCpuUsage();
  let longest = 0;
  const look = () => {
    const used = process.threadCpuUsage(before);
    longest = Math.max(longest, (used.user + used.system) / 1000);
    before = process.threadCpuUsage();
  };
  const timer = setInterval(look, 1);
  return {
    longestMs() {
      look();
      return longest;
    },
    [Symbol.dispose]: () => clearInterval(timer),
  };
}
