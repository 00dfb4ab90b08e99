"""The words that ``labels.py`` looks for, as data: labels, and what may or may not follow a label.

The patterns are for verbose mode: white space in them means nothing. They are matched against
lower-case text in which underscores are spaces.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..records.model import Label

# Each word is in the form that ``labels.normalise`` gives it.
LABEL_WORDS: dict[Label, str] = {
    "supported": """
        supported supports support fully_supported is_supported completely_supported
        entirely_supported directly_supported supported_by_context supported_by_the_context entailed
        entails entailment faithful grounded fully_grounded attributable fully_attributable
        attributed verified consistent yes true oui ja si sí sim да так tak evet ναι 是 是的 支持
        はい 예 네
        unterstützt gestützt belegt bestätigt wahr wird_unterstützt wird_gestützt ist_belegt
        vom_kontext_gestützt vom_kontext_unterstützt durch_den_kontext_belegt vollständig_belegt
        vollständig_gestützt vollständig_unterstützt
        soutenu soutenue étayé étayée appuyé appuyée confirmé confirmée corroboré corroborée vrai
        vraie entièrement_soutenu
        respaldado respaldada apoyado apoyada sustentado sustentada confirmado confirmada verdadero
        verdadera soportado soportada totalmente_respaldado
        supportato supportata sostenuto sostenuta confermato confermata vero vera
        suportado suportada apoiado apoiada verdadeiro verdadeira totalmente_suportado
        ondersteund bevestigd onderbouwd waar volledig_ondersteund
        poparte poparty poparta popierane wspierane potwierdzone potwierdzony potwierdzona prawda
        подтверждено подтверждён подтвержден подтверждена подтверждается поддерживается поддержано
        верно правда
        有支持 得到支持 被支持 受支持 完全支持 属实 屬實 真
        支持される 支持されている 支持されています 裏付けあり 裏付けられる 裏付けられている
        裏付けられています 根拠あり 正しい
        지지 지지됨 지지된다 뒷받침 뒷받침됨 근거_있음 근거있음 사실 참""",
    "partially_supported": """
        partially_supported partially partial partly partly_supported partial_support
        partially_entailed partially_faithful partially_grounded partially_attributable 部分支持
        teilweise teilweise_unterstützt teilweise_gestützt teilweise_belegt
        partiellement partiellement_soutenu partiellement_soutenue partiellement_étayé
        parcialmente parcial parcialmente_respaldado parcialmente_respaldada parcialmente_apoyado
        parcialmente_sustentado parcialmente_suportado parcialmente_suportada parcialmente_apoiado
        parzialmente parziale parzialmente_supportato parzialmente_supportata
        gedeeltelijk gedeeltelijk_ondersteund deels_ondersteund
        częściowo częściowo_poparte częściowo_potwierdzone
        частично частично_подтверждено частично_поддерживается
        部分得到支持 部分的に支持 部分的に支持されている 一部支持 部分的に裏付けられている
        부분적 부분적으로_지지됨 부분_지지 부분적으로_뒷받침됨""",
    "not_enough_info": """
        not_enough_info not_enough_information not_enough_evidence notenoughinfo nei
        insufficient_information insufficient_info insufficient_evidence insufficient_context
        no_evidence no_support no_information no_info not_supported unsupported
        not_supported_by_context not_supported_by_the_context is_not_supported neutral idk
        i_don't_know i_dont_know unknown unverifiable unverified not_verifiable not_verified
        cannot_be_verified can't_be_verified cannot_verify borderline not_mentioned not_stated
        not_found not_present not_provided not_in_context not_in_the_context not_addressed
        not_entailed not_grounded ungrounded not_attributable unattributable extrapolatory
        not_faithful unfaithful hallucinated hallucination fabricated inconsistent no false non nein
        não nao нет nie nee nej nei hayır όχι 否 不是 不支持 いいえ 아니오 아니요
        nicht_unterstützt nicht_gestützt nicht_belegt nicht_bestätigt unbelegt nicht_erwähnt
        keine_angabe unzureichende_informationen nicht_genügend_informationen
        nicht_genug_informationen zu_wenig_informationen falsch
        non_soutenu non_soutenue pas_soutenu pas_soutenue non_étayé non_étayée non_appuyé
        non_confirmé non_mentionné informations_insuffisantes information_insuffisante
        pas_assez_d'informations pas_assez_d'information faux fausse
        no_respaldado no_respaldada no_apoyado no_apoyada no_sustentado no_sustentada no_confirmado
        no_soportado no_mencionado información_insuficiente informacion_insuficiente
        falta_información sin_información falso falsa
        non_supportato non_supportata non_sostenuto non_confermato non_menzionato
        informazioni_insufficienti
        não_suportado não_suportada não_apoiado não_sustentado não_confirmado não_mencionado
        informação_insuficiente informações_insuficientes sem_informação
        niet_ondersteund niet_bevestigd niet_vermeld onvoldoende_informatie niet_genoeg_informatie
        onwaar ongegrond
        niepoparte nie_poparte niepotwierdzone nie_potwierdzone brak_informacji
        niewystarczające_informacje niewystarczająca_informacja za_mało_informacji fałsz
        не_подтверждено не_подтверждается не_поддерживается недостаточно_информации
        недостаточно_данных нет_информации неверно ложь
        未支持 没有支持 不被支持 未得到支持 信息不足 資訊不足 证据不足 證據不足 未提及 假
        支持されない 支持されていない 支持されていません 裏付けなし 裏付けられない
        裏付けられていない 根拠なし 情報不足
        지지되지_않음 지지되지않음 뒷받침되지_않음 뒷받침되지않음 정보_부족 정보부족 근거_없음
        근거없음 거짓""",
    "contradicted": """
        contradicted contradictory contradicts contradict contradiction contradicting
        contradicted_by_context contradicted_by_the_context is_contradicted refuted refutes refute
        refutation conflicting disproved disproven 矛盾
        widersprochen widerspricht widerspruch widersprüchlich widerlegt
        contredit contredite contradictoire réfuté réfutée
        contradicho contradicha contradictorio contradictoria contradice contradicción refutado
        refutada
        contraddetto contraddetta contraddittorio contraddittoria contraddice contraddizione
        smentito smentita
        contradito contradita contraditório contraditória contradiz contradição
        tegengesproken weersproken tegenstrijdig weerlegd
        sprzeczne sprzeczny sprzeczna sprzeczność zaprzeczone obalone
        противоречит противоречие опровергнуто опровергается
        相矛盾 与上下文矛盾 被反驳 反驳 冲突 衝突
        矛盾する 矛盾している 矛盾しています 反する
        모순 모순됨 모순된다 반박 반박됨 상충""",
    "not_a_claim": "not_a_claim notaclaim not_claim",
}
# Negative words that answer a question. The others may be the question: "Contradicted: No".
ANSWERS = frozenset(
    "no false non nein não nao нет nie nee nej nei hayır όχι 否 不是 いいえ 아니오 아니요 0".split()
)
NO_ANSWERS = ANSWERS | frozenset(("none", "not_really", "not_at_all", "nope", "n/a"))
YES_MARKS = "✅✔✓☑👍🟢"
NO_MARKS = "❌✗✘✖👎🔴🚫"
# After a label: "[1, 2]", "(evidence: 3)", "(95%)", "(confidence: high)".
TRAILING_REFERENCE = r"""
    [\s:,;\-–—]{0,4}
    (?:\[\s?\]|\[\s?(?:(?:evidence|sentences?|sources?|see|context|s)\s?[:\#]?\s?)?s?\d{1,4}
      (?:\s?[,;]\s?s?\d{1,4}){0,20}\s?\]
    |\(\s?(?:evidence|sentences?|sources?|see(?:\s+sentences?)?)\s?[:\#]?\s?\[?s?\d{1,4}
      (?:\s?(?:[,;]|and|&)\s?s?\d{1,4}){0,20}\]?\s?\))\s?[.;,]?\s*$
    """
TRAILING_CONFIDENCE = r"""
    [\s:,;\-–—]{1,4}\(?\s?
    (?:(?:confidence|certainty|probability|conf\.?)\s?[:=]?\s?
      (?:(?:[5-9]\d|100)(?:\.\d{1,4})?\s?%|0?\.[5-9]\d{0,6}|1(?:\.0{1,4})?|high|very\s+high)
    |(?:with\s+)?(?:very\s+)?high\s+(?:confidence|certainty)
    |(?:with\s+)?(?:[5-9]\d|100)(?:\.\d{1,4})?\s?%\s+
      (?:confidence|confident|certainty|certain|sure)
    |(?:9\d|100)(?:\.\d{1,4})?\s?%)
    \s?\)?[.;,]?\s*$
    """

CONTRARY = r"""
    contradict\w*|contrary|conflict\w*|refut\w*|hallucinat\w*|fabricat\w*|unsupported
    |not\s+(?:\w+\s+)?(?:supported|true|entailed|faithful|grounded)|no\s+(?:evidence|support)|false
    |矛盾|不支持
    """
NEGATION = rf"""
    {CONTRARY}|not?|nor|none|never|nothing|neither|nobody|nowhere|cannot|\w+n['’]t
    |(?:ca|wo|do|does|did|is|are|was|were|has|have|had)nt|without|lack\w*|missing|absent|omit\w*
    |fail\w*|wrong\w*|false\w*|un(?!it|iq|iv|io|if|ic|der|til)\w+|dis(?:agree|prov|confirm|put)\w*
    |in(?:correct|accura|sufficien|consisten|complete|valid|conclusive)\w*
    |mis(?:stat|tak|lead|match|quot|represent|attribut)\w*|neutral|nei|idk|borderline|zero
    |^\W*0(?:\.0+)?\W*$
    """
HEDGE = r"""
    but|except\w*|however|although|though|yet|unless|if|while|whereas|despite|only|partial\w*|partly
    |mostly|mainly|largely|somewhat|almost|nearly|barely|hardly|weak\w*|limited|low|maybe|perhaps
    |possib\w*|might|may|could|would|should|seem\w*|appear\w*|likely|probabl\w*|unclear|doubt\w*
    |actually|correction|corrected|revis\w*|instead|rather|wait|ambigu\w*|assum\w*|pending|tbd|todo
    |nope|nay|half|halves|in\s+part|opposite|revers\w*|clash\w*|at\s+odds|invent\w*|made\s+up
    |extrinsic|(?:common|general|world|outside|external|prior|background)\s+knowledge
    |the\s+(?:answer|response|statement|claim)\s+(?:itself|alone|says|states|claims)
    |ignor\w*|inject\w*|declin\w*|refus\w*|reject\w*|overrul\w*|reconsider\w*|mistake\w*|error\w*
    """
OTHER_LANGUAGES = r"""
    nicht|kein\w*|ohne|aber|nie|niemals|jedoch|teilweise|falsch|nein|non|ne|n['’]\w+|pas|sans|mais
    |jamais|aucun\w*|faux|partiellement|sin|pero|nunca|ning[uú]n\w*|jam[aá]s|tampoco|falso|falsa
    |parcial\w*|não|nao|sem|mas|por[eé]m|senza|ma|mai|però|solo|niet|geen|maar|zonder|ikke|inte|nie
    |nej|nei|nee|bez|не|нет|ні|но|без|ложь|частично
    """
NO_SPACES = (  # languages that are written without spaces
    "不|没|沒|未|无|無|非|否|但|部分|矛盾|ない|ませ|いいえ|しかし|아니|않|없|못|지만|부분"
)

DENIES_OR_OPPOSES = (
    rf"(?<!\w)(?:{NEGATION}|invent\w*|made\s+up|opposite|revers\w*)(?!\w)|{NO_SPACES}"
)
OPPOSES = rf"(?<!\w)(?:{CONTRARY})(?!\w)|{NO_SPACES}"
DOUBTS = (
    rf"(?<!\w)(?:{NEGATION}|{HEDGE}|{OTHER_LANGUAGES})(?!\w)|{NO_SPACES}"
    r"|[?？\u00ad\u200b-\u200f\u2060]"
)

# How the prose after a positive word may begin.
_SOURCE = r"""
    (?:(?:the|this|both)\s+)?(?:(?:provided|given|retrieved)\s+)?
    (?:context|passage|text|document|source|article|sentence|evidence)s?
    """
BEGINS_REASON = rf"""
    (?:(?:it|this|that)\s+(?:does|is|was|follows|matches)|(?:they|these|both)\s+(?:do|are|were)
    |as|because|since|according\s+to|see|per|(?:(?:in|by|from)\s+)?{_SOURCE}
    |the\s+(?:statement|claim)s?\s+(?:is|are|was|were)|explicitly|directly|clearly|fully|verbatim
    |literally|stated|mentioned|said|given|confirmed|found|described|listed|supported|entailed
    |i\s+hope|hope\s+this|let\s+me\s+know)(?!\w)
    """

# The only numbers that may be in it.
_NUMBERS = r"""
    s?\d{1,4}(?:\s?(?:,|and|&|to|-)\s?s?\d{1,4}){0,20}
    (?!\w|[.,]\d|\s?[%/]|\s+(?:of|out)(?!\w))
    """
REFERENCE = rf"""
    (?<!\w)(?:(?:sentence|passage|paragraph|line|source|document)s?\s{{1,3}}[\[(]?{_NUMBERS}
    |\[{_NUMBERS}\])
    """
OTHER_NUMBER = r"[\d\u00bc-\u00be\u2150-\u218b\u2460-\u24ff\u2600-\u27bf\U0001f000-\U0001faff]"
