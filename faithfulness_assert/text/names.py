"""What may be set aside as no claim: never a text with a number or a name, for such a text always claims something.

In doubt there is a name. A capital shows one, except at the opening, where common words have one too; a script without capitals hides
names, so that only a text with a word of courtesy is let pass.
"""

from __future__ import annotations

_NUMBER_WORDS = frozenset(
    """two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty
    thirty forty fifty sixty seventy eighty ninety hundred thousand million billion dozen half quarter percent zwei drei vier fünf sechs
    sieben acht neun zehn zwölf hundert tausend deux trois quatre cinq sept huit neuf dix douze vingt cent mille dos tres cuatro cinco
    seis siete ocho nueve diez doce veinte cien mil""".split()
)

# Words that open a sentence and are no names; and those that are written with a capital out of politeness.
_OPENERS = frozenset(
    """a an the this that these those it its he she they we you i i'm i'll i'd i've my your our his her their there here what when where
    which who why how if as at by for from in of on or to with and but so because then also however although though while after before
    is are was were am do does did can could will would shall should may might must have has had let let's please thanks thank hope
    hello hi hey dear sure certainly absolutely okay ok yes no great good glad happy welcome sorry unfortunately feel ask just remember
    note overall finally first next all any some many most each every not nothing more below above best kind regards cheers
    ich wir sie du er es das der die den dem ein eine hier bitte danke vielen gerne gern falls wenn ob und aber hallo guten viel
    je nous vous il elle ce cette ces le la les un une des bonjour merci voici si n'hésitez avez j'espère bien
    yo nosotros usted ustedes él ella el los las una uno esto hola gracias espero si por no aquí
    io noi voi lui lei questo ciao grazie spero ecco se per eu nós você olá obrigado obrigada aqui ik wij jij u hij zij dit dat hallo
    bedankt hier als""".split()
)
_POLITE = frozenset("ihnen ihr ihre ihren ihrem sie u usted ustedes lei".split())

_COURTESY = (
    *(
        "希望",
        "您",
        "你",
        "谢谢",
        "謝謝",
        "请",
        "請",
        "祝",
        "不客气",
        "ください",
        "ありがとう",
        "お手伝い",
        "どうぞ",
        "幸いです",
        "감사",
        "안녕",
    ),
    *(
        "도움이",
        "주세요",
        "شكر",
        "مرحب",
        "آمل",
        "धन्यवाद",
        "नमस्ते",
        "कृपया",
        "ขอบคุณ",
        "สวัสดี",
        "תודה",
        "שלום",
        "?",
        "？",
        "؟",
    ),
)
_MARKS = "\"'“”‘’«»„(*[_]).,;:!?…—–-"


def has_number_or_name(text: str) -> bool:
    """Whether a text holds a digit, a number word or, for all that can be seen, a name."""
    words = _words(text)
    if any(c.isdigit() for c in text) or any(word.casefold() in _NUMBER_WORDS for word in words):
        return True
    if any(c.isalpha() and not c.isupper() and not c.islower() for c in text):
        return not any(mark in text for mark in _COURTESY)
    return any(_is_name(word, opens=place == 0) for place, word in enumerate(words))


def _is_name(word: str, *, opens: bool) -> bool:
    if not word[:1].isupper():
        return False
    plain = word.casefold()
    return (
        plain not in _OPENERS if opens else plain not in _POLITE and plain.partition("'")[0] != "i"
    )


def numbers_and_names(text: str) -> set[str]:
    """The words of a text that show beyond doubt what it is about: those with a digit, and capitalised ones that do not open it."""
    return {
        word.casefold()
        for place, word in enumerate(_words(text))
        if any(c.isdigit() for c in word) or (place > 0 and _is_name(word, opens=False))
    }


def words_of(text: str) -> set[str]:
    """All words of a text, in the form of :func:`numbers_and_names`."""
    return {word.casefold() for word in _words(text)}


def _words(text: str) -> list[str]:
    return [
        word for word in (part.strip(_MARKS).replace("’", "'") for part in text.split()) if word
    ]
