from __future__ import annotations

from aeadlab.lab.cluster.discovery import Worker, label_hosts, select_workers


def worker(name: str, hostname: str = "box", machine: str = "kernel", objection: str = "") -> Worker:
    return Worker(f"tcp://{name}:1", name, hostname, (machine, ""), objection=objection)


def test_selects_one_worker_of_each_machine() -> None:
    assert [w.name for w in select_workers([worker("b"), worker("a"), worker("c", machine="other")])] == ["a", "c"]
    # Containers of one machine differ in their host names.
    assert [w.name for w in select_workers([worker("b", "x"), worker("a", "y")])] == ["a"]
    assert [w.name for w in select_workers([worker("b"), worker("a", objection="aeadlab is not installed")])] == ["b"]
    assert [w.name for w in select_workers([worker("b"), worker("c", objection="busy: it has 1 task")])] == ["c"]
    assert [w.name for w in select_workers([worker("b", objection="x"), worker("a", objection="y")])] == ["a"]


def test_labels_are_unique_parts_of_file_names() -> None:
    def labels(*workers: Worker) -> list[str]:
        return [host.label for host in label_hosts(workers)]

    assert labels(worker("a", "x.example.org"), worker("b", "y_1")) == ["x.example.org", "y-1"]
    assert labels(worker("a"), worker("b", machine="2")) == ["box-a", "box-b"]
    assert labels(worker("a", "../../etc")) == ["etc"]
    assert labels(worker("a", "x_1"), worker("b", "x 1")) == ["x-1-tcp-a-1", "x-1-tcp-b-1"]
