"""The numbers and names in a text. A text with one of them always claims something.

So a text with a number or a name is never set aside as "not a claim". In doubt a word is a name:
a capital letter shows one, except at the start of a text, where common words have one too. Scripts
without capitals hide names, so a text in them counts as named unless it contains a polite phrase.
"""

from __future__ import annotations


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_NUMBER_WORDS = _words(
    "two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
    "seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred "
    "thousand million billion dozen half quarter percent "
    "zwei drei vier fünf sechs sieben acht neun zehn zwölf hundert tausend "
    "deux trois quatre cinq sept huit neuf dix douze vingt cent mille "
    "dos tres cuatro cinco seis siete ocho nueve diez doce veinte cien mil"
)
# Common words that begin a sentence: their capital letter does not make them names.
_SENTENCE_STARTERS = _words(
    "a an the this that these those it its he she they we you i i'm i'll i'd i've my your our "
    "his her their there here what when where which who why how if as at by for from in of on or "
    "to with and but so because then also however although though while after before "
    "is are was were am do does did can could will would shall should may might must have has had "
    "let let's please thanks thank hope hello hi hey dear sure certainly absolutely okay ok yes no "
    "great good glad happy welcome sorry unfortunately feel ask just remember note overall finally "
    "first next all any some many most each every not nothing more below above best kind regards "
    "cheers "
    "ich wir sie du er es das der die den dem ein eine hier bitte danke vielen gerne gern falls "
    "wenn ob und aber hallo guten viel "
    "je nous vous il elle ce cette ces le la les un une des bonjour merci voici si n'hésitez avez "
    "j'espère bien "
    "yo nosotros usted ustedes él ella el los las una uno esto hola gracias espero por aquí "
    "io noi voi lui lei questo ciao grazie spero ecco se per "
    "eu nós você olá obrigado obrigada aqui "
    "ik wij jij u hij zij dit dat bedankt als"
)
# Pronouns that are written with a capital letter out of politeness, also inside a sentence.
_POLITE_PRONOUNS = _words("ihnen ihr ihre ihren ihrem sie u usted ustedes lei")
_POLITE_PHRASES = (
    *"希望 您 你 谢谢 謝謝 请 請 祝 不客气".split(),
    *"ください ありがとう お手伝い どうぞ 幸いです".split(),
    *"감사 안녕 도움이 주세요".split(),
    *"شكر مرحب آمل".split(),
    *"धन्यवाद नमस्ते कृपया".split(),
    *"ขอบคุณ สวัสดี".split(),
    *"תודה שלום".split(),
    *"? ？ ؟".split(),
)
_PUNCTUATION = "\"'“”‘’«»„(*[_]).,;:!?…—–-"


def has_number_or_name(text: str) -> bool:
    """Whether a text contains a digit, a number word or something that may be a name."""
    if any(char.isalpha() and not char.isupper() and not char.islower() for char in text):
        hides = not any(phrase in text for phrase in _POLITE_PHRASES)
        return hides or any(char.isdigit() for char in text)
    return bool(numbers_and_names(text))


def numbers_and_names(text: str) -> list[str]:
    """The words of a text that have a digit, are a number word or may be a name."""
    return [
        word
        for place, word in enumerate(_words_in_order(text))
        if any(char.isdigit() for char in word)
        or word.casefold() in _NUMBER_WORDS
        or _may_be_name(word, is_first=place == 0)
    ]


def _may_be_name(word: str, *, is_first: bool) -> bool:
    if not word[:1].isupper():
        return False
    plain = word.casefold()
    if is_first:
        return plain not in _SENTENCE_STARTERS
    return plain not in _POLITE_PRONOUNS and plain.partition("'")[0] != "i"


def _words_in_order(text: str) -> list[str]:
    stripped = (part.strip(_PUNCTUATION).replace("’", "'") for part in text.split())
    return [word for word in stripped if word]
