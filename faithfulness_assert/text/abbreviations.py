"""Abbreviations and titles: words whose full stop does not always end a sentence."""

from __future__ import annotations

from .patterns import lazy_pattern


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# After these, a small letter or a digit continues the sentence, and a capital starts a new one.
_ABBREVIATIONS = _words(
    "approx appx avg ave blvd bldg cf ch circa co col corp dept dist ed eds eq est etc ext excl ff "
    "fig figs fn hr hrs hwy inc incl jr kg km lb lbs ltd max mg min mins ml mo mos mph msg mt no "
    "nos nr op orig oz p par para pct pg pl pop pp prov pt pts qty rd ref refs resp rev sec secs "
    "sect sq sr st stat tbl tbsp tel temp tsp univ viz vol vols vs wk wks yd yds yr yrs al "
    "jan feb mar apr jun jul aug sep sept oct nov dec mon tue tues wed thu thur thurs fri sat sun "
    "abs art bzw ca evtl ggf inkl mind sog str usw vgl zzgl env tél pág págs núm n° nº aprox cad "
    "pag sig blz bijv dhr mevr"
)
# A name follows these, so a capital continues the sentence too.
_TITLES = _words("mme mlle mgr mevr dhr dott sra sig fa")
# Titles that are also single letters or units, by language.
_TITLES_BY_LANGUAGE = {"fr": _words("m mm")}

_LAST_WORD = lazy_pattern(r"(?:^|[^\w.])([^\W\d_](?:[^\W\d_]|\.(?=[^\W\d_]))*|[Nn][°º])\.$")
_CONTINUES = lazy_pattern(r"[(\"'“]?(?:\d|[a-zà-öø-ÿ])")


def ends_with_abbreviation(text: str, following: str, language: str) -> bool:
    """Whether ``text`` ends with an abbreviation, and the sentence continues in ``following``."""
    match = _LAST_WORD.search(text.rpartition(" ")[2]) if text.endswith(".") else None
    if match is None:
        return False
    word = match[1].lower()
    if word in _TITLES or word in _TITLES_BY_LANGUAGE.get(language, ()):
        return True
    if "." in word and following[:1].isdigit():
        return word not in ("a.m", "p.m")
    is_short = word in _ABBREVIATIONS or "." in word or len(word) == 1
    return is_short and _CONTINUES.match(following) is not None
