"""The words by which a judge or an answer refuses, as data for ``refusal.py``.

One regular expression per line. An indented line continues the one before it; ``<name>`` is a part
from ``PARTS``; ``~`` is a gap of up to 60 characters inside a sentence. They match text in plain
form (see ``refusal.py``). Every repetition is bounded.
"""

from __future__ import annotations

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
