"""Phrases as tables of patterns, and the plain form of a text that they match.

In a table, each line is a regular expression, or "word: expression". An indented line continues the
one before it, a line that begins with "# " is a comment; ``<name>`` is a part from ``PARTS``; ``~``
is a gap of up to 60 characters inside a sentence. The plain form of a text is lower case, one line,
straight quotes, no markdown, no English short forms.
"""

from __future__ import annotations

import re
from functools import cache

PARTS = r"""
adverb: ((also|really|just|simply|still|currently|unfortunately|respectfully|politely|ethically|
  legally|morally|knowingly|safely|personally|directly|therefore|in good (conscience|faith)|
  at this time|and will not|or will not|and should not),? ){0,3}(\w{3,12} (or|and|nor) )?
unable: ((can ?not|can no longer|could not|will not|would not|should not|shall not|must not|
  may not)( be able to| be)?|(am|are|was) (\w+ )?(unable to|incapable of|not (\w+ly )?(able|allowed|
  permitted|authori[sz]ed|programmed|designed|equipped|qualified|trained|willing|going|prepared|
  comfortable|capable|in a position)( to| of| with)?)|do not (have the (\w+ )?(ability|capability|
  capacity|authority|permission|means) to|feel (\w+ )?comfortable|(think|believe) (that )?i (can|
  should|am able to))|((have been|am) (instructed|told|asked|trained|programmed) not|(am )?choos(e|
  ing) not|have decided not|do not (want|wish)|am declining|lack the (ability|capability|
  authority)) to|am programmed to avoid|((would|must|have to|need to|will) (\w+ly )?){0,2}(prefer
   not to|rather not|decline to|refuse to|refrain from|abstain from))
# what an assistant is asked to do
serve: (help(?!ed| but| \w{1,20}ing\b(?! (this|that|your)))|assist|aid|compl(y|ete|ying)|fulfill?|
  accommodat|satisf|honor|answer|respond|reply|evaluat|assess|judg|grad(e|ing)|scor(e|ing)|rat(e|
  ing)|verify|fact-check|process|continu|proceed|engag|participat|discuss|do (that|this|so)|
  facilitat|of (any )?(help|assistance|service))
# what else people say that they do not do; "I can't tell you how happy I am" does not count
tell: (provid(e|ing)(?! (just|only|merely))|giv(e|ing)(?! up| in)|offer|take part|shar(e|ing)|
  disclos|reveal|suppl|generat|creat|produc|compos|writ(e|ing)|mak(e|ing)(?! it)|analy[sz]|review|
  carry|teach|instruct|guid|advis|advocat|encourag|condon|promot|endors|support|speculat|comment|
  entertain|suggest|justif|agree to|confirm or deny|list|identify|say (no|that|which|who|why|
  anything)|(locat|predict|access|perform)(?!.{0,200}\b(but|though|although|however)\b)|(tell you|
  explain|describe)(?! how (?!to))|recommend (any|ways|how|methods|that)|(form|render|issue|deliver|
  pass|reach|return) (\w+ ){0,2}(judg|verdict|opinion|assess))
sorry: (sorry|apologies|unfortunately|regrettably|no|but|however|i am (\w+ )?sorry|i apologi[sz]e)
this_task: (this|that|your|the|such( an?)?) (\w+ ){0,2}(request|question|task|prompt|evaluation|
  invitation)
product: (verdicts?|answers?|evaluations?|judge?ments?|assessments?|analysis|scores?|ratings?|
  grades?|response)
against: (go(es|ing)? against|violat(es?|ing)|contrary to|conflicts? with|in violation of|(is|be|
  falls?) (not )?(against|within|outside( of)?))
guideline: (guidelines?|polic(y|ies)|principles|programming|rules|values|purpose|scope|capabilities)
proper: (appropriate|ethical|acceptable|legal|safe|right|respectful|okay|advisable)
speak: (provid|discuss|ask|encourag|suggest|promot|speculat|shar|offer|giv|mak|assum|generali|
  stereotyp|engag|use|say|spread|recreat|attempt|imply|harm|judg|answer|disclos|support|advocat|
  plan|consider)
source: ((the|this|that|my|your|any) )?((provided|given|available|supplied|above|current|retrieved|
  existing) )?(contexts?|information|documents?|texts?|passages?|sources?|materials?|data|
  knowledge)( (provided|given|above|available|supplied))?
say: (answer|respond|reply|determine|help|assist|comply|discuss (that|this)|do (that|this|so)|say|
  tell you|comment|(provide|give|offer) (you )?(with )?(an?y? )?(\w+ )?(answer|response|help|
  assistance))
enough: (enough|sufficient|adequate|the (necessary|required|needed|relevant)) (relevant
   )?(information|context|data|details?|knowledge)
material: (context|statements?|claims?|passages?|documents?|sentences?|source texts?|(list of|
  necessary|required) \w+|texts? to|answer to(evaluate|check|verify|judge|assess|grade))\b
generic: (,? (the|this|that|it|your|you|these|any|an?|questions?|request|query|topic|matter|answer|
  respond|help|say|know|to|for|with|in|from|by|based|on|using|without|more|further|additional|
  enough|sufficient|about|of|at|all|here|right|now|me|us|reliably|accurately|confidently|correctly|
  fully|properly|certainty|currently|just|only|contexts?|information|documents?|texts?|passages?|
  sources?|materials?|data|details?|knowledge|provided|given|available|supplied|above)){0,24}
lead: ((as an? (ai (assistant|language model|model)|(large )?language model|ai)|(based on|from|with|
  given|according to) <source>),? ){0,2}
"""

_STRAIGHT = str.maketrans(
    dict.fromkeys("’‘′ʼ`´＇", "'")
    | dict.fromkeys("“”„«»「」『』＂", '"')
    | dict.fromkeys("*\u0307\u00ad\u200b\u200c\u200d\u200e\u200f\u2060\ufeff", None)
)
_BARE = str.maketrans(
    {"–": " ", "—": " ", "…": ".", "_": None, "#": None, ">": None, "~": None, "|": None}
)
_SHORT_FORMS = {
    "won't": "will not",
    "can't": "cannot",
    "n't": " not",
    "'m ": " am ",
    "'ve ": " have ",
    "'ll ": " will ",
    "'d ": " would ",
    "'re ": " are ",
    "it's ": "it is ",
    "that's ": "that is ",
}


def straight(text: str) -> str:
    """``text`` in lower case, with straight quotes, without bold marks and invisible characters."""
    return text.lower().translate(_STRAIGHT)


def plain(text: str) -> str:
    """``text`` in its plain form, which the tables are written for."""
    text = straight(text).translate(_BARE)
    for short, full in _SHORT_FORMS.items():
        text = text.replace(short, full)
    return " ".join(text.split())


def _lines(table: str) -> list[str]:
    lines = table.replace("\n  ", "").split("\n")
    return [line for line in lines if line and not line.startswith("# ")]


@cache
def pairs(table: str) -> tuple[tuple[str, str], ...]:
    """A table of "word: rule" lines."""
    return tuple((word, rule) for word, _, rule in (line.partition(": ") for line in _lines(table)))


def _filled(rule: str) -> str:
    """``rule`` with its parts and gaps written out."""
    rule = re.sub(r"<(\w+)>", lambda part: _filled(dict(pairs(PARTS))[part[1]]), rule)
    return rule.replace("~", r"[^.!?。！？।]{0,60}?")


@cache
def compiled(rule: str) -> re.Pattern[str]:
    return re.compile(_filled(rule))


@cache
def rules(table: str) -> tuple[re.Pattern[str], ...]:
    return tuple(map(compiled, _lines(table)))
