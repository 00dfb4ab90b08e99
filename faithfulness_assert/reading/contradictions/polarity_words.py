"""The words of keys and values that speak for or against support, as data for ``polarity.py``.

Keys are reduced to lower-case letters and digits (see ``json_values.key_of``), so "matches_context"
is "matchescontext". Values are compared as ``labels.normalise`` writes them.
"""

from __future__ import annotations

# ---------------------------------------------------------------- keys

# Keys that deny: a true or filled value speaks against support.
DENYING = r"""
    contradict|unsupport|not\w{0,12}(?:support|entail|ground|faith|verif|attrib)|hallucin|error
    |refut|fabricat|missing|false|unverif|unfaith|unground|unattrib|conflict|incorrect|inaccura
    |inconsist|disput|disprov|invent(?!or)|extrinsic|violat|wrong|rejected|invalid
    |mismatch|misalign|disagree|discrepan|untrue|untruth|nonfactual|madeup|bogus|opposes|opposite
    |unconfirm|unsubstantiat|uncorroborat|unbacked|unjustif|unmatch|fail(?!safe|over)
    |^(?:has)?(?:issue|problem|concern)s?$|^corrections?$
    |^(?:is)?(?:negat|invert|revers|retract|withdrawn|hypothe|imagin|quoted|simulat|injected)
    |partial|partly
    |(?:non|not|nicht|kein|niet)
     (?:match|agree|correct|accura|valid|true|backed|confirm|consist|belegt|gestützt|unterstützt
       |soutenu|étayé|supportat|confermat|ondersteund)
    |^(?:es|is)?n(?:o|ão|ao|ie)
     (?:respaldad|apoyad|sustentad|suportad|apoiad|confirmad|popart|potwierdz)
    |unbelegt|falsch|halluz|widerspr|widerleg|erfund|contredi|réfut|faux|fausse|infond|contradi
    |falso|falsa|inventad|contradd|smenti|tegengespr|weerspr|weerleg|onwaar|sprzeczn|zaprzecz
    |niepopart|niepotwierdz|противореч|опроверг|неподтвержд|ложь|галлюцин|不支持|未支持|矛盾|幻觉|幻覺
    |不一致|错误|錯誤|誤り|間違|裏付けなし|모순|반박|불일치|환각|오류
    """
# Keys that deny a denial: "no_hallucinations", "not_contradicted", "error_free".
NOT_DENYING = r"""
    ^(?:is|has|are|have)?(?:no|non|not|without|zero|freeof)
     (?:a|an|any)?(?:contradict|hallucin|error|fabricat|conflict|violat|issue|problem|discrepan
       |mismatch|disagree|refut|wrong|invent|false)
    |(?:hallucination|contradiction|error)s?free$
    """
# Keys that say that judging failed.
FAILED = r"error(?:s|message|text|code|detail|details|type)?|exception|failure"
# Keys that affirm: a false or low value speaks against support.
AFFIRMING = r"""
    support|faith|(?<!back)ground(?!truth)|entail|attribut|verif|correct(?!ed|ion)|accura|consist
    |valid|true|(?<!ground)truth|pass(?!age)|match|agree|align|success|^ok$|^okay$|backed|confirm|factual|justified
    |substantiat|corroborat|^(?:is)?(?:found|present|stated|mentioned|contained|inferred)(?:in\w*)?$
    |^incontext|^insource|evidence(?:found|exists)|^hasevidence|precision
    |belegt|gestützt|unterstützt|wahr(?:heit)?$|richtig|korrekt|soutenu|étayé|appuyé|fidèle|fidél
    |vrai|fiable|respaldad|apoyad|sustentad|fiel(?!d)|verdader|supportat|confermat|fedel|corrett
    |suportad|apoiad|confirmad|ondersteund|getrouw|bevestigd|onderbouwd|popart|potwierdz|zgodn
    |подтвержд|поддерж|верн(?:о|ый|ость)|достовер|支持|忠实|忠實|一致|正确|正確|裏付け|忠実|正しい
    |지지|뒷받침|일치|충실
    """
# Keys whose value is a verdict, a score or a mark.
JUDGING = r"""
    label|verdict|judge?ment|classif|decision|conclusion|prediction|assessment|answer$|result
    |outcome|^status|^overall|^final|^summary|evaluation|^grade|^nli|^check|stance|^relation
    |polarity|compliance|^(?:overall|final|total|average|mean|aggregate)?(?:score|rating|mark)s?$
    |urteil|bewertung|ergebnis|gesamt|fazit|résultat
    |verdicto?|veredict|veredito|verdetto|resultado|risultato|oordeel|werdykt|wynik|вердикт|итог
    |результат|оценка|判定|结论|結論|总体|總體|評価|结果|結果|판정|결론|평가|결과
    """
# Keys whose value is a remark in prose.
REMARKING = r"""
    summary|overall|conclusion|comment|^notes?$|remark|assessment|verdict|judge?ment|evaluation
    |explanation|reason|rationale|analysis|feedback|justification|^message$|result|final|caveat
    |kommentar|anmerkung|begründung|remarque|commentaire|comentario|observaci|nota$|comentário
    |opmerking|uwag|комментар|примечан|备注|備註|说明|說明|コメント|備考|비고|설명
    """
# Keys of measures and of material, whose values are neither marks nor answers.
MEASURING = r"confidence|certainty|probabilit|similarity|threshold|weight|latency|cost|relevan"
MATERIAL = r"""
    quote|(?<!con)text$|snippet|span|sentence|passage|paragraph|citation|reference|index|position|offset
    |length|tokens?$|exact|verbatim|literal|direct|explicit|^need|^requir|^request|^should
    """
# Keys of a part that speaks for the whole reply: a verdict in it is not a statement's.
SUMMARISING = r"""
    overall|summar|conclusion|aggregate|global|^total|^whole|^entire
    |^gesamt|fazit|résumé|ensemble|resumen|general|resumo|geral|riepilogo|complessiv|samenvatting
    |podsumowanie|итог|总体|總體|总结|總結|総合|全体|종합|전체
    """
# Keys of counts, and the keys that may have a list of numbers of all supported statements.
COUNTING = r"^(?:num|number|count|total|anzahl|n)(?:of)?|(?:num|number|count|total)s?$"
LISTING = r"""
    ^(?:all)?(?:supported|faithful|verified|entailed|grounded|correct|confirmed)
    (?:(?:statement|claim|sentence)?(?:s|ids?|numbers?|indices))?$
    """

# ---------------------------------------------------------------- values

# Values that say "no" to support, besides the labels.
FAILING_WORDS = frozenset(
    """
    fail failed fails failing failure incorrect wrong inaccurate invalid bad negative low poor weak
    very_low insufficient rejected reject denied deny denies nok not_ok mismatch mismatched
    disagree disagrees disagreement misaligned untrue bogus nope nay never zero none f error errored
    aborted incomplete truncated no_match not_matched unconfirmed not_confirmed opposite opposes
    not_correct not_true not_accurate not_consistent unsubstantiated refusal refused partial_fail
    nicht_bestanden durchgefallen fehlgeschlagen échec échoué fallo fallido suspenso fallito falhou
    reprovado mislukt gezakt niezaliczone niezaliczony провал неудача 失败 失敗 不合格 不通过 不通過
    실패 불합격 👎
    """.split()
)
# Values under a denying key that deny nothing.
NOTHING = frozenset(
    """
    no false none null nothing nil n/a na not_applicable not_found not_detected not_present
    none_found none_detected nothing_found negative absent zero 0 low very_low minimal negligible
    not_hallucinated not_contradicted not_contradictory no_contradiction no_hallucination no_error
    non_contradictory not_a_contradiction
    nein keine kein keiner non aucun aucune ninguno ninguna nessuno nessuna não nao nenhum nenhuma
    nee geen nie brak нет ні 无 無 没有 沒有 否 なし ない いいえ 없음 아니오 아니요 nej nei hayır
    yok όχι ne idk unknown
    """.split()
)
DENIES_NOTHING = r"""
    (?:there\s+(?:is|are|was|were)\s+)?
    (?:no|none|not|nothing|zero)(?:\s+\w+){0,3}\s+(?:found|detected|identified|present|observed)
    |(?:there\s+(?:is|are|was|were)\s+)?
     no\s+(?:\w+\s+)?(?:contradiction|hallucination|error|issue|problem|conflict|violation)s?
    """
# Labels that deny support under any key. "no" or "neutral" may answer another question.
STRONG_NO = frozenset(
    """
    not_enough_info not_enough_information not_enough_evidence notenoughinfo no_support
    not_supported unsupported not_supported_by_context not_supported_by_the_context
    is_not_supported not_entailed not_grounded ungrounded not_faithful unfaithful hallucinated
    hallucination fabricated not_attributable unattributable insufficient_evidence nicht_belegt
    nicht_gestützt nicht_unterstützt non_soutenu non_étayé no_respaldado non_supportato
    não_suportado niet_ondersteund niepoparte не_подтверждено 不支持 未支持 支持されていない
    지지되지_않음
    """.split()
)
