from __future__ import annotations

from html.parser import HTMLParser

import pytest

from aeadlab.markup import Cell, Html, element, escaped, facts, joined, listed, table


def text_of(html: str) -> str:
    """What a reader sees."""
    seen: list[str] = []
    parser = HTMLParser()
    parser.handle_data = seen.append  # type: ignore[method-assign]
    parser.feed(html)
    parser.close()
    return "".join(seen)


@pytest.mark.parametrize("hostile", ["<script>alert(1)</script>", "a\" onload='x'", "&lt;b&gt;", "</td></table>"])
def test_text_stays_text_wherever_it_stands(hostile: str) -> None:
    for html in (
        element("p", hostile),
        element("p", ["a", [hostile]]),
        element("img", alt=hostile),
        table([hostile], [[hostile]]),
        facts([(hostile, hostile)]),
        listed([hostile]),
        table(["a"], [[Cell(hostile, hostile)]]),
    ):
        assert "<script" not in html
        assert "</td></table>" not in html.replace("</td></tr></tbody></table>", "")
        assert hostile not in html
    assert text_of(element("p", hostile)) == hostile


def test_an_attribute_cannot_be_left() -> None:
    html = element("img", alt='" onerror="x')
    seen: list[list[tuple[str, str | None]]] = []
    parser = HTMLParser()
    parser.handle_starttag = lambda _, attributes: seen.append(attributes)  # type: ignore[method-assign]
    parser.feed(html)
    assert seen == [[("alt", '" onerror="x')]]


@pytest.mark.parametrize("unseen", ["\0", "\x1b[31m", "\u202e", "\ud800", "\u2028", "\u200b"])
def test_what_cannot_be_seen_is_shown_as_unknown(unseen: str) -> None:
    html = escaped(f"a{unseen}b")
    assert html[1] == "\N{REPLACEMENT CHARACTER}"
    html.encode()


def test_names_in_other_scripts_and_lines_stay() -> None:
    assert escaped("Größe, 日本, \N{MICRO SIGN}s\n2\N{NO-BREAK SPACE}ms") == "Größe, 日本, µs\n2\N{NO-BREAK SPACE}ms"


def test_html_is_not_escaped_twice_and_nothing_is_nothing() -> None:
    assert joined([Html("<b>"), None, "<", 3]) == "<b>&lt;3"
    assert element("p", None) == "<p></p>"


def test_attributes_by_their_python_names() -> None:
    assert element("td", class_="n", data_k="1", hidden=True, id=None) == '<td class="n" data-k="1" hidden></td>'
    assert element("meta", name="viewport") == '<meta name="viewport">'


def test_numbers_carry_what_they_are_sorted_by() -> None:
    html = table(["name", "time"], [["a", Cell("1.5 ms", "1 to 2", 0.0015)], ["b", Cell("-", key=float("nan"))]])
    assert '<td data-k="0.0015">1.5 ms<small>1 to 2</small></td>' in html
    assert '<td data-k="">-</td>' in html
    assert '<th scope="col">name</th><th scope="col" class="number">time</th>' in html
    assert '<th scope="row">a</th>' in html


def test_a_table_without_rows_has_its_headings() -> None:
    assert text_of(table(["a", "b"], [])) == "ab"
