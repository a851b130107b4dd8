"""What the machine allows, without any database: how much faster two processes are
than one, and what memory costs that has been free for a while. Two processors may
be threads of one core, share its power, or memory; and the host of a virtual machine
takes free memory back."""

import mmap
import multiprocessing
import time

REPEATED = 3
TOUCHED = 256 << 20
PAGE = 4096
FREE_FOR = 5.0


def repeat(work, start, seconds):
    work()
    start.wait()
    begun = time.perf_counter()
    for _ in range(REPEATED):
        work()
    seconds.put(time.perf_counter() - begun)


def seconds_at_once(work, count):
    """of the slowest of so many processes"""
    context = multiprocessing.get_context("fork")
    start, seconds = context.Barrier(count), context.Queue()
    processes = [context.Process(target=repeat, args=(work, start, seconds)) for _ in range(count)]
    for process in processes:
        process.start()
    slowest = max(seconds.get() for _ in processes)
    for process in processes:
        process.join()
    return slowest


def gain_of_two(work):
    """the work of two processes at once, in that of one in the same time"""
    return 2 * seconds_at_once(work, 1) / seconds_at_once(work, 2)


def touch(size):
    """seconds that it takes to get so many bytes"""
    begun = time.perf_counter()
    with mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS) as memory:
        memory.madvise(mmap.MADV_HUGEPAGE)
        memory[::PAGE] = bytes(size // PAGE)
        return time.perf_counter() - begun


def describe(memory):
    """lines on the machine; memory: the arrays of a graph, as numpy uses them"""
    yield "two processes at once do %.2f times the work of one on x w, %.2f times on a x" % (
        gain_of_two(lambda: memory.x @ memory.w1), gain_of_two(lambda: memory.a @ memory.x))
    touch(TOUCHED)
    again = touch(TOUCHED)
    time.sleep(FREE_FOR)
    yield "%d MB of memory take %.0f ms, and %.0f ms after they have been free for %.0f s" % (
        TOUCHED >> 20, again * 1e3, touch(TOUCHED) * 1e3, FREE_FOR)
