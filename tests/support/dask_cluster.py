"""A Dask cluster of two worker processes on this machine, for as long as its standard input is open.

Prints the address of its scheduler.
"""

import sys

from distributed import LocalCluster


def main() -> None:
    with LocalCluster(
        processes=True,
        n_workers=2,
        threads_per_worker=1,
        host="127.0.0.1",
        dashboard_address="127.0.0.1:0",
        worker_dashboard_address="127.0.0.1:0",
    ) as cluster:
        sys.stdout.write(f"{cluster.scheduler_address}\n")
        sys.stdout.flush()
        sys.stdin.read()


if __name__ == "__main__":
    main()
