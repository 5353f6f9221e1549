from __future__ import annotations

from html.parser import HTMLParser

import pytest

from aeadlab.display.markup import Cell, Html, bullet_list, definition_list, element, escape, join, table, truncate


def text_of(html: str) -> str:
    """Return the text of a page without its elements."""
    texts: list[str] = []
    parser = HTMLParser()
    parser.handle_data = texts.append  # type: ignore[method-assign]
    parser.feed(html)
    parser.close()
    return "".join(texts)


@pytest.mark.parametrize("hostile", ["<script>alert(1)</script>", "a\" onload='x'", "&lt;b&gt;", "</td></table>"])
def test_escapes_text_in_every_position(hostile: str) -> None:
    for html in (
        element("p", hostile),
        element("p", ["a", [hostile]]),
        element("img", alt=hostile),
        table([hostile], [[hostile]]),
        definition_list([(hostile, hostile)]),
        bullet_list([hostile]),
        table(["a"], [[Cell(hostile, hostile)]]),
    ):
        assert "<script" not in html
        assert "</td></table>" not in html.replace("</td></tr></tbody></table>", "")
        assert hostile not in html
    assert text_of(element("p", hostile)) == hostile


def test_escapes_quotes_in_attributes() -> None:
    html = element("img", alt='" onerror="x')
    seen: list[list[tuple[str, str | None]]] = []
    parser = HTMLParser()
    parser.handle_starttag = lambda _, attributes: seen.append(attributes)  # type: ignore[method-assign]
    parser.feed(html)
    assert seen == [[("alt", '" onerror="x')]]


@pytest.mark.parametrize("character", ["\0", "\x1b[31m", "\u202e", "\ud800", "\u2028", "\u200b"])
def test_replaces_control_characters(character: str) -> None:
    html = escape(f"a{character}b")
    assert html[1] == "\N{REPLACEMENT CHARACTER}"
    html.encode()


def test_keeps_other_scripts_and_line_breaks() -> None:
    assert escape("Größe, 日本, \N{MICRO SIGN}s\n2\N{NO-BREAK SPACE}ms") == "Größe, 日本, µs\n2\N{NO-BREAK SPACE}ms"


def test_joins_html_without_escaping_it_again() -> None:
    assert join([Html("<b>"), None, "<", 3]) == "<b>&lt;3"
    assert element("p", None) == "<p></p>"


def test_maps_keyword_names_to_attributes() -> None:
    assert element("td", class_="n", data_k="1", hidden=True, id=None) == '<td class="n" data-k="1" hidden></td>'
    assert element("meta", name="viewport") == '<meta name="viewport">'


def test_cells_have_the_sort_key_of_their_number() -> None:
    html = table(["name", "time"], [["a", Cell("1.5 ms", "1 to 2", 0.0015)], ["b", Cell("-", key=float("nan"))]])
    assert '<td data-k="0.0015">1.5 ms<small>1 to 2</small></td>' in html
    assert '<td data-k="">-</td>' in html
    assert '<th scope="col">name</th><th scope="col" class="number">time</th>' in html
    assert '<th scope="row">a</th>' in html


def test_an_empty_table_has_headings() -> None:
    assert text_of(table(["a", "b"], [])) == "ab"


def test_truncates_long_texts_with_the_number_of_characters() -> None:
    assert truncate("x" * 400) == "x" * 400
    assert truncate("x" * 1401) == f"{'x' * 400}… (1,001 characters more)"
