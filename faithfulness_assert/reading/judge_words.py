"""The words by which only a judge refuses, as data for ``refusal.py``.

The tables are written like those of ``refusal_words.py``, whose parts they use.
"""

from __future__ import annotations

# What only a judge says: that it cannot decide, or that it lacks its material.
JUDGE = r"""
# cannot determine
\b(i|we) (\w+ ){0,2}<unable>,? <adverb>(determin|decid|conclud|ascertain|establish|make (a|
  any) (determination|judge?ment|verdict|decision|assessment))
^(<sorry>,? ){0,2}(can ?not|could not|unable to|not able to|not possible to|
  impossible to) <adverb>(determine|decide|tell|say|conclude|assess|judge|evaluate|verify)( (this|
  that|it|if|whether|from|based|without|the|any|faithfulness|which)\b.*)?$
^(it|this|that|(the )?faithfulness|the (answer|statement|claim|verdict|truth)s?)? ?(can ?not|
  could not) be (determined|assessed|judged|evaluated)\b
^no (verdicts?|judge?ments?|evaluations?|assessments?|ratings?|decision)( (is |are )?(available|
  possible|given|provided|returned|made))?$
^(there (is|was) )?(not enough|insufficient|not sufficient|too little) (\w+ )?(context|information|
  data|material|detail)( (is |was )?(provided|given|available))?( (for me )?(to|for) .{0,80})?$
# please provide the context
\b(please|could you|can you|would you|kindly)( please| kindly)? (provide|share|supply|send|paste|
  include|give|specify|upload)\b.{0,60}\b<material>
\bi (do not|did not|can ?not|could not) (see|have|find) (any |access to )(\w+ ){0,2}<material>
\bi do not (see|have) (the |a |your )(\w+ ){0,2}<material>
\bi (\w+ ){0,2}(need|require) (the|some|your|you to|an?|both|more|additional) (\w+ ){0,3}<material>
\bno (\w+ )?<material> (was|were|is|are|has been|have been) (\w+ )?(provided|given|supplied|
  included|found|present|attached|shared|listed)
^(<sorry>,? ){0,2}((it )?(seems|looks like|appears)( that| like)? )?(the |
  your )?(\w+ ){0,2}<material> (to \w+ )?(is|are|was|were|seems?|appears?)( to be)? (missing|empty|
  blank|not (provided|included|given|attached|present|available))
\byou (have not|did not|forgot to|have yet to) (\w+ )?(provid|includ|shar|giv|attach|past|suppl|
  specif)
\bthere (are|is|were|was) no <material>( (to|for me to) (\w+ly )?(evaluat|judg|assess|check|verif|
  grad|rat)\w*)?$
# the same in other languages
\bbitte\b.{0,40}\b(kontext|aussagen|text)\b.{0,40}\b(an|bereit|mit|geben|senden|zur verfügung)\b
\bich (kann|sehe)\b.{0,30}\bkeine\b.{0,20}\b(aussagen|behauptungen)
\b(veuillez|merci de) (me )?(fournir|donner|partager|indiquer)\b.{0,40}\b(contexte|affirmations|
  déclarations|texte)
\bpor favor,? (\w+ )?(proporcion|comparte|envía|indique|forneç|envie|
  compartilhe)\w*\b.{0,40}\b(contexto|afirmaciones|afirmações|declaraciones|texto)
\b(fornisc|fornire|invia|condivid)\w*\b.{0,40}\b(contesto|affermazioni|dichiarazioni|testo)
\b(geef|verstrek|stuur|deel)\b.{0,40}\b(context|stellingen|beweringen|tekst)
\b(podaj|proszę (podać|o podanie)|prześlij)\b.{0,40}\b(kontekst|stwierdzenia|tekst)
\b(предоставьте|пришлите|укажите)\b.{0,40}\b(контекст|утверждения|текст)
(请|請)(您)?(提供|给出|給出|发送)[^。]{0,20}(上下文|陈述|陳述|文本|语句)
(文脈|コンテキスト|文|主張|テキスト)(と\w{1,8})?を(ご)?(提供|提示|共有)(して)?ください
(문맥|맥락|진술|문장|텍스트)[^.]{0,12}(제공|공유)해 ?주(세요|십시오)
"""
# What a judge says that cannot list claims.
SPLITTER = r"""
\b(i|we) (\w+ ){0,2}<unable>,? <adverb>(break|split|decompos|extract|separat|divid|segment|
  (identify|find|list|see|produce) (any|the|a|such|individual|atomic|factual|
  separate)? ?(\w+ )?(claims?|facts?|statements?|propositions?))
^(<sorry>,? ){0,2}(can ?not|could not|unable to|not able to) <adverb>(be )?(break|broken|split|
  decompos|extract|separat|divid|segment)
^(this|that|it|the (text|answer|sentence|passage)) (can ?not|could not) be (broken|split|decomposed|
  divided|separated)
\bich (kann|konnte)\b.{0,30}\bnicht\b.{0,20}\b(zerleg|aufteil|aufgliedern)
\bje ne (peux|parviens)\b.{0,20}\b(décompos|divis|extrai)
\bno (puedo|es posible)\b.{0,20}\b(descompon|divid|extra)
(无法|不能|無法)(分解|拆分|提取)
"""
