"""The words by which a judge or an answer refuses, as data for ``refusal.py``.

One regular expression per line, written as ``text/phrases.py`` explains. Every repetition is
bounded.
"""

from __future__ import annotations

ENGLISH = r"""
# I cannot help; I am an AI and do not condone violence
\bi (am (just |only |merely )?an? [\w ]{2,40}? and (i )?)?<adverb><unable>,? <adverb>(<serve>|
  <tell>)
\bi (am an? [\w ]{2,40} and )?(\w+ )?do not (condone|promote|endorse|encourage|engage|support|
  provide|discuss|participate)\b
# we, the assistant, or nobody named: only what an assistant does
\b(we|this (assistant|ai|model|chatbot)) <adverb><unable> <adverb><serve>(ing)?( you)?( with| to|
   on| in)? (this|that|your|these|such)
^(<sorry>[,:]?( -)? ){0,2}(can ?not|will not|unable to|not able to|must decline to|
  declining to) <adverb>(<serve>|provide)(?!s)
^(<sorry>,? ){0,2}i (can ?not|will not|am not able to|am unable to)$
\bi do not (help|assist|comply|answer|judge|evaluate) (you )?(with |in )?(this|that|these|
  such) ?(kind|sort|type|request|thing|question|content|topic|$)
^(let's|let us|can we|shall we|how about we) (talk about|discuss|change|move on to|
  switch to) (something else|something different|(another|a different) (topic|subject)|the (topic|
  subject))$
# I decline
\b(i|we) (\w+ ){0,6}(declin|refus|reject)(e|ing) <this_task>
\bi (\w+ ){0,6}(decline|refuse|abstain|pass on (this|that|it|these|answering|judging|
  evaluating))( one| here| from| this| that|(?=,)|$)
\bnot something (that )?i (can|am|will|do|feel)\b|\b(beyond|outside( of)?) what i (can|am)\b
\bi apologi[sz]e for not being able to|\b(prevents?|prohibits?|stops?|forbids?|
  keeps?) me from \w+ing
# the task, in the passive
\bno (\w+ )?<product> ((can|could|may|will) be (\w+ly )?\w+(ed|en|de)|(is|are) possible)\b
\b((this|that|your) (\w+ )?request|<product>|(the|this|your) (content|
  material)( \w+){0,3}) (can ?not|could not|will not) be (evaluat|judg|assess|given|provid|process|
  complet|fulfill?|made|produc|generat|return|answer|issu|render)
# a filter, a guideline
\b(prompt|request|response|output|completion|(generated|this|your|the) (text|content|message|
  input)) (\w+ ){0,3}(filtered|blocked|flagged|rejected|refused|withheld|
  removed)\b.{0,80}\b((content|usage|use|safety|management|moderation|community|our) polic(y|ies)|
  filters?|filtering|guidelines?|safety|moderation)
^(content|request|response|output|evaluation|assessment|judge?ment) (was |has been |is )?(filtered|
  blocked|flagged|declined|denied|refused|rejected)$
\b<against> (my|openai's?|anthropic's?) ([\w'-]+ ){0,3}<guideline>\b(?! ?(number|no|nr|id|holder|
  terms?|[#\d]))
\b(this|it|(this|your|the) (request|prompt|content|question|input|message)) ((may|might|would|
  clearly|appears to) )?<against> (our|the|its)( [\w'-]+)? (content|usage|safety|
  community) ([\w'-]+ ){0,2}<guideline>
# it would be wrong
^(\w+,? ){0,4}?((it|this|that) (is|would) (never|not) (be )?|i do not (think|
  believe) (that )?it (is|would be) )(\w+ (or|and|nor) ){0,2}<proper>(,? (or|and|
  nor) \w+){0,2}( for me)? to (\w+ or )?<speak>
\b((is not|would not be) <proper>|(is|would be) (inappropriate|unethical|improper|irresponsible|
  wrong)) for me to\b
^(\w+,? ){0,4}?(that|this|(this|that|your) (\w+ )?(request|topic|question|content)) (is|
  would) not (be )?(appropriate|ethical|legal)( for me to \w+)?$
"""

# What is not done is a stem of a verb, never of a noun: "I can't find the answer" is not a refusal.
OTHERS = r"""
# German
\b(ich (kann|darf|möchte|werde|will)|(kann|darf|möchte|werde) ich)\b~\b(nicht|keine?n?)\b~(helf|
  hilf|unterstütz|beantwort|\bantworten|bewert|beurteil|einschätz|bearbeit|nachkomm|erfüll|erstell|
  bereitstell|geben\b|prüfen)
\b(ich bin|bin ich)\b~\bnicht~(in der lage|befugt|berechtigt|befähigt)|\b(ich muss|muss ich|
  ich möchte)\b~\bablehnen|\bich weigere mich
# French
\bje (ne (peux|puis|saurais|souhaite|dois|veux)|ne suis pas (en mesure|capable|autorisé|apte|
  habilité|programmé)|refuse)~(aider|assister|répondre|évaluer|juger|fournir|donner\b|traiter|
  vérifier|proposer|poursuivre|satisfaire|accéder)
\b(il m'est impossible|je suis dans l'(impossibilité|incapacité)) de~(aider|assister|répondre|
  évaluer|juger|fournir|donner\b|traiter)
\bje dois (\w+ )?(refuser|décliner)\b
# Spanish
\bno (puedo|podré|me es posible|soy capaz|poder\b|estoy (en|autoriz|capacit|program|permit)|
  tengo (la )?(capac|permi|autori))~(ayud|asist|respond|contest|evalu|proporcion|juzg|valor|cumpl|
  completar|proces|verific|ofrec|realiz|generar|brind|emit|\bdar)
\b(debo|tengo que) (rechazar|declinar|negarme)|\bme niego a\b
# Portuguese
\bnão (posso|consigo|sou capaz|me é possível|poder\b|poderei|vou|estou (apt|autoriz|em|program)|
  tenho (a )?(capac|permis|autori))~(ajud|auxili|assist|respond|avali|julg|fornec|atend|cumpr|
  process|verific|oferec|realiz|gerar|emit|\bdar)
\b(devo|preciso|tenho de|tenho que) recusar|\brecuso-me\b|\bme recuso\b
# Italian
\bnon (posso|sono in grado|riesco|mi è possibile|poter|sono autorizzat|ho la)~(aiut|assist|risponde|
  valut|giudic|forni|soddisf|elabor|verific|offr|\bdare|complet|esegui)
\b(devo rifiutare|mi rifiuto)\b
# Dutch
\b(ik (kan|mag|wil|zal)|(kan|mag|wil|zal) ik)\b~\b(niet|geen)\b~(help|assist|beantwoord|antwoorden|
  oordel|evalue|verstrek|geven|voldoen|verwerk|uitvoer|lever|bijstaan)|\b(ik ben|
  ben ik) ~niet in staat
# Swedish, Danish and Norwegian, Finnish
\b(jag (kan|får|vill)|(kan|får) jag)\b~\binte\b~(hjälp|svara|bedöm|utvärder|tillhandahåll|ge\b)
\b(jeg (kan|må|vil)|(kan|må|vil) jeg)\b~\bikke\b~(hj[æe]lp|svare|vurder|bedøm|giv?e?\b)
\ben (\w{1,20} )?(voi|pysty|kykene)~(autta|vastata|arvioi|antaa)
# Russian, Ukrainian
\bне (могу|смогу|в состоянии|имею|буду|способ|вправе|можу|зможу|в змозі)~(помочь|помога|ответить|
  отвечать|оценить|оценивать|предостав|выполн|обсужд|обраб|судить|создать|дать|давать|допомог|
  відповісти|оцінити|надати|викон)
\b(вынужден\w{0,2} отказ|отказываюсь)
# Polish, Czech
\bnie (mogę|jestem w stanie|potrafię|będę)\b~(pomóc|pomagać|odpowiedzieć|odpowiadać|oceni|udzieli|
  dostarczy|spełni|przetw|zweryf|wykon|realizow|podać|wydać)|\b(muszę odmówić|odmawiam)\b
\b(nemohu|nemůžu|nejsem schop\w{0,3})\b~(pomoci|pomáhat|odpovědět|odpovídat|hodnotit|posoudit|
  poskytn|vyhovět|splnit)|\bmusím odmítnout\b
# Romanian, Hungarian, Greek
\bnu (pot|sunt în măsură|voi putea)\b~(ajut|răspund|evalua|oferi|furniz|judec)
\bnem (tudo[km]|áll módomban|segíthetek)\b~(segít|válaszol|értékeln|megítéln)|(segíteni|válaszolni|
  értékelni) nem tudok
\bδεν (μπορώ|είμαι σε θέση)\b~(βοηθ|απαντήσ|αξιολογ|παρ[έά]|δώσ|κρίν)
# Turkish: the negation is in the verb
(yardımcı ol|yardım ed|(yanıt|cevap) ver|(yanıt|cevap)lay|değerlendir|sağlay|sun|yerine getir|
  yargılay)[ae]m([ae]m\b|[ae]y[ıi]z\b|[ae]y[ae]ca|[ae]yece|[ıi]yoru[mz]\b)
# Vietnamese, Indonesian and Malay
\b(xin lỗi|rất tiếc|tôi|mình)\b~\bkhông (thể|được phép|có khả năng|đủ khả năng)(?! tìm| xác)~(giúp|
  hỗ trợ|trả lời|đánh giá|cung cấp|đáp ứng|thực hiện|xử lý|thảo luận|phán|đưa ra)
\b(maaf|saya)\b~\btidak (dapat|bisa|mampu|boleh|akan)\b~(membantu|bantu\b|menjawab|menilai|
  mengevaluasi|memberi|menyedia|memenuhi|memproses|menanggapi)
# Chinese
(抱歉|对不起|對不起|遗憾|遺憾|我(?!们|們)|作为|作為)~(无法|不能|没办法|没法|無法|沒辦法|不便|拒绝|
  拒絕|不会|不會)[^。！？找]{0,30}?(协助|帮|提供(?!的)|回答|回应|评估|评价|评判|评分|完成|满足|处理|
  讨论|执行|協助|幫|回應|評估|評價|評判|評分|滿足|處理|討論|執行)
# Japanese
お(応え|答え|手伝い|力になる|力添え)(する)?(こと)?[はがも]?((でき|出来)(ません|ない|かね)|(いた|致|
  し)しかね|しかね)|お役に立て(ません|ず)|お断り(いた|致|し|さ)
(申し訳|すみません|恐れ入り|ごめん|残念|私|ai|(この|これらの|次の|以下の)(内容|コンテンツ|依頼|
  リクエスト|質問|要求|要望|主張|文|文章|記述|陳述|発言)|ご(依頼|要望|質問))~(支援|評価|回答|対応|
  判断|判定|提供|協力|サポート|処理|検証|採点|応じる)(を?(する|行う)?(こと)?[はがも]?(でき|
  出来)(ません|ない|かね)|(いた|致)?しかね)
# Korean
(도와|도움|도울|답변|대답|응답|응할)[^.!?찾]{0,8}(수[가는도]? ?없|기 ?어렵)
(죄송|미안|유감|저는|제가|(이|이러한|이들|다음|해당) (내용|요청|콘텐츠|질문|진술|주장|문장))~(평가|
  제공|처리|지원|판단|수행)[^.!?찾]{0,6}(수[가는도]? ?없|기 ?어렵)
# Thai
(ขออภัย|ขอโทษ|เสียใจ|ฉัน|ผม|เรา|ดิฉัน)~ไม่(สามารถ|อาจ)~(ช่วย|(?<!คำ)ตอบ|ประเมิน|ให้|ดำเนินการ|ตัดสิน|สนับสนุน|
  ทำตาม)
# Arabic, Persian, Hebrew
(لا (يمكنني|أستطيع)|لن (أتمكن|أستطيع|يمكنني)|لست قادر|غير قادر|ليس بإمكاني|
  أعتذر عن)(?!.{0,4}(العثور|إيجاد))~(ساعد|جاب|أجيب|الرد|تقييم|أقيم|تقديم|توفير|تلبية|الحكم|إعطاء|
  معالج|تنفيذ)
(کمک|پاسخ|ارزیابی|ارائه|قضاوت)~نمی.?توان(م|یم)|نمی.?توان(م|یم)~(کمک|پاسخ|ارزیابی|ارائه|قضاوت)
\b(אני לא (יכול|מסוגל)|לא אוכל|(אינני|איני) (יכול|מסוגל))~(לעזור|לסייע|לענות|להעריך|לספק|לשפוט)
# Hindi, Bengali
(मैं|मुझे|क्षमा|माफ़|माफ|खेद)~(मदद|सहायता|उत्तर|जवाब|मूल्यांकन|प्रदान|आकलन|निर्णय)~(नहीं (कर|दे|दूँ|दूंगा|पा)|असमर्थ|
  अक्षम)
আমি~(সাহায্য|সহায়তা|উত্তর|মূল্যায়ন)~(পারছি না|পারি না|পারব না|অক্ষম)
"""

# ---------------------------------------------------------------- what is not a refusal

VERDICT_WORD = (
    r"(yes|no|idk|borderline|(not[ _]|un|fully[ _]|partially[ _])?supported|contradict(ed|ory)|"
    r"not[ _]enough[ _]info\w{0,10}|no[ _]evidence|ja|nein|oui|non|sí|si|não|sim|sì|nee|nej|nei|да|"
    r"нет|так|ні|tak|nie|evet|hayır|có|không|ya|tidak|是|否|不是|はい|いいえ|예|네|아니오|아니요|ใช่|"
    r"ไม่|ไม่ใช่|نعم|لا|हाँ|हां|नहीं|ναι|όχι|ano|ne|כן|לא)"
)
VERDICT = (
    rf"(?m)[:：]\s{{0,3}}[\[\"'_]{{0,4}}{VERDICT_WORD}\s{{0,3}}(?=[\"'.。!！_;)\]}}\n]|$|,\s{{0,3}}[\"']?{VERDICT_WORD}\b)"
    r"|(\b|_)(verdicts?|labels?|supported|faithful|judge?ment)\s{0,3}[\"']?[:：]\s{0,3}\W{0,4}"
    rf"({VERDICT_WORD}|true|false|[01])\b(?! \w)"
    rf"|^[^\w\n]{{0,8}}(\d{{1,4}}[^\w\n]{{1,4}})?{VERDICT_WORD}[^\w\n]{{0,4}}$"
    rf"|\bstatement[ _]?\d{{1,4}}\W{{1,4}}{VERDICT_WORD}\b"
    r"|\b(is|are) (not |un|fully |partially )supported\b|\bcontradicted by\b"
)
# Before a match: a condition, or someone else's words. After it: a speaker, or help anyway.
BEFORE = (
    r"\b(if|when|whenever|unless|where|while|until|once|said|says|stated|states|told|replied|wrote"
    r"|writes|claims|announced)\b[^,;:]{0,40}:? ?$"
)
AFTER = (
    r"^.{0,20}[,'] ?((the|a|his|her|my|our) )?(\w{1,20} ){0,2}"
    r"(said|says|replied|answered|insisted|shouted|whispered|wrote)\b"
    r"|((\bbut|\bso|\bthough|;|:) ?(here|below)|\bhere (it )?(is|are))\b"
    r"|; ?(the )?(other )?(statement|claim|one)s?( \d{1,4})? (is|are|was|were)\b"
)

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
"""
# That it was given no context or no statements.
MATERIAL = r"""
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
