"""The words by which a judge speaks against its own verdict, and those that say nothing against it.

A star stands for any ending. The rules that use them are in ``gate.py``.
"""

from __future__ import annotations

# ---------------------------------------------------------------- words of doubt

NEGATIONS = """
no not nor none never nothing neither nobody nowhere cannot without lack* fail*
"""
"""Negation. A statement may have one of its own, as in "Dogs are not allowed"."""

DENIALS = """
no not nor none never nothing neither nobody nowhere cannot without lack* fail* nope nay null zero
nei aint arent cant couldnt didnt doesnt dont hasnt havent isnt shouldnt wasnt werent wont wouldnt
absen* missing omit* omission* silen* mum contradict* contrary conflict* refut* disprov* deny denies
denied denial oppos* revers* clash* disagree* false* falsif* untrue wrong* incorrect* inaccura*
forbid* prohibit* banned disallow* error* erroneous mistak* mismatch* misread* misquot* misstat*
misrepresent* mislead* misattribut* misinterpret* discrep* inconsisten* differ* deviat* diverg*
instead opposite hallucinat* fabricat* invent* made bogus baseless unsupported unverif* unfounded
unsubstantiat* unproven unstated unmentioned unconfirmed unfaithful ungrounded unbacked unsure
uncertain* unclear unknown unlikely unspecified unaddressed unrelated unjustified unwarranted
unfortunately invalid* insufficien* incomplete* inconclusive* impossible nicht kein* ohne nie
niemals falsch nein ne pas sans jamais aucun* faux sin nunca ningun* jamas tampoco falso falsa nao
sem senza mai niet geen zonder ikke inte nej nee bez widerspr* contredi* contraire contradice*
contradi*
"""
"""Negation, contradiction, falsehood."""

DOUBTS = """
but however although though albeit yet unless except excepted excepting excluding despite
nevertheless nonetheless whereas while rather other others otherwise rest remaining apart aside
besides beyond elsewhere off only just merely solely partial* partly half mostly mainly largely
somewhat almost nearly barely hardly scarcely roughly approximat* loosely vague* ambigu* weak*
limited maybe perhaps possib* might may could would should ought seem* appear* likely probabl*
doubt* questionabl* debatabl* disput* suspect* suspicio* arguabl* borderline neutral tentativ*
caveat* concern* issue* problem* suggest* impli* imply hint* infer* deduc* extrapolat* exaggerat*
overstat* overreach* overgeneral* embellish* stretch* inflat* distort* assum* presum* guess* specul*
plausib* conceivabl* reasonabl* intuit* knowledge outside external extra additional adds added
extrinsic common* general* world usual* typical* often normal* most many lower higher fewer greater
smaller bigger longer shorter cheaper if whether suppose* depend* conditional* hypothetic* pretend*
imagine* wait actually correction* corrected edit edited revis* reconsider* retract* withdraw*
disregard* oops sorry apolog* regret* hmm reject* declin* refus* overrul* ignor* overlook* neglect*
pending todo tbd inject* instruct* told aber jedoch teilweise mais partiellement pero parcial* mas
porem ma solo maar itself part parts portion extent degree less than unlike against odds later
earlier sooner another too think thinks thought believe believes feel feels guess memory training
trained sort take strike struck revoke* out principle sole
"""
"""Contrast, hedge, condition, correction, other sources, shares, quoted orders."""

FALSEHOODS = """
contradict* conflict* refut* false* untrue wrong* incorrect* hallucinat* fabricat* invent* nothing
none neither
"""
"""Denials that leave no part of a statement."""

FLAWS = """
unsupported unverif* unfounded unfaithful ungrounded error* issue* mismatch* missing problem*
discrep*
"""
"""What may be wrong with a statement, as the name of a field."""

SOURCES = """
answer answers answer's response question question's user wikipedia internet web website
"""
"""What is no evidence, in a reason."""

# ---------------------------------------------------------------- words that say nothing

QUIET = """
a an and any all are as at be been being both by did do does each every for from had has have here
here's i i'd i'll i'm i've in into is it it's its me my of on or our so such than that that's the
their them then there therefore these they this those thus to us was we were where which with within
you your also too according accordance accordingly final finally above below following follow
follows once twice statement* claim claims sentence* passage* context* text source* document*
evidence verdict* label* reason* explanation* explain* note notes summary summarize overall analysis
answer* judg* evaluat* assess* result* reply response output* json object list array form
compact valid single line lines requested* required asked task step steps order id ids number* item*
entr* breakdown turn support* backed backs confirm* state* stating says say said saying mention*
given gives give giving provid* found shown shows show listed lists describ* named names match*
entail* verif* grounded faithful true yes correct correctly right accurate accurately agree agrees
agreement consistent correspond* contain* includ* appear* present quoted repeat* restate* rests*
paraphras* rephras* same identical equivalent equal equals exact* verbatim word words literally
direct* explicit* strictly clearly clear fully full completely entirely plainly simply carefully
word-for-word meaning means mean based using used use uses basis compar* checked check checking
double-checked review* through see decided sure certainly course ok okay great thanks thank please
hope helps help happy glad submit record report return emit classify set create tool call function
name type conclusion done jsonc assistant
"""
"""What a judge may say beside its verdicts."""

COURTESIES = """
(please )?(do )?let me know
(please )?feel free to
(please )?tell me
i hope (this|that|it)
hope (this|that|it)
(i am|i'm|i'll be|i will be) (happy|glad)
is there anything else
"""
"""How a courtesy begins. After that, it may have these words, too:"""

COURTEOUS = """
let know if you'd anything else more further other others another need needs want wants like would
'd wish prefer clarify clarified analyze analyse analyzed analysed evaluate evaluated help assist
assistance ask reach out question send free feel detailed additional tell can do have has this that
format clarification review judged graded
"""
"""Words of courtesies."""

# ---------------------------------------------------------------- what a claim must keep

QUALIFIERS = """
if unless only all every some most many few may might could must should always never often sometimes
usually before after until except without least about
"""
"""Words that a claim must have if its sentence has them, and no others."""

# ---------------------------------------------------------------- what a clause is about

LINKS = """
a an am are as at be been being by did do does for had has have he i in is it its of on or she such
that the their them then there they this those to was we were will with you can could would should
may might must any about
"""
"""Words that tie others together: they tell nothing of a statement's matter."""

REPORTS = """
support* back* state* stating say* said mention* verif* confirm* contradict* correct* true ground*
entail* found find evidence context statement* claim* sentence* passage* source* provided contain*
address* enough sufficient information exact* appear* list* describe* specif* indicat* given answer*
accurate right faithful match* agree* discuss* cover* talk* refer* establish* prove*
"""
"""Words about what a text says, and about verdicts."""

ENGLISH = """
the is are were of to by for from with and that this these it its as states says mentions confirms
has have not sentence context statement which who when on at into under over also both each their
his her about after before more all up gives
"""
"""One of these is in every English sentence of some length."""
