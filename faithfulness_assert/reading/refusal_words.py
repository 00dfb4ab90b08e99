"""The words by which a judge or an answer declines, as data for ``refusal.py``, where the rule stands and how the tables are read.

A regular expression a line; an indented line goes on with the one before it; ``<name>`` is a part; ``~`` is a gap of up to 60
characters inside a sentence. They meet text in its plain form. All repetition is bounded.
"""

from __future__ import annotations

PARTS = r"""
adverb: ((also|really|just|simply|still|currently|unfortunately|respectfully|politely|ethically|legally|morally|knowingly|safely|
  personally|directly|therefore|in good (conscience|faith)|at this time|and will not|or will not|and should not),? ){0,3}(\w{3,12} (or|
  and|nor) )?
unable: ((can ?not|can no longer|could not|will not|would not|should not|shall not|must not|may not)( be able to| be)?|(am|are|
  was) (\w+ )?(unable to|incapable of|not (\w+ly )?(able|allowed|permitted|authori[sz]ed|programmed|designed|equipped|qualified|trained|
  willing|going|prepared|comfortable|capable|in a position)( to| of| with)?)|do not (have the (\w+ )?(ability|capability|capacity|
  authority|permission|means) to|feel (\w+ )?comfortable|(think|believe) (that )?i (can|should|am able to))|((have been|am) (instructed|
  told|asked|trained|programmed) not|(am )?choos(e|ing) not|have decided not|do not (want|wish)|am declining|lack the (ability|capability|
  authority)) to|am programmed to avoid|((would|must|have to|need to|will) (\w+ly )?){0,2}(prefer not to|rather not|decline to|refuse to|
  refrain from|abstain from))
# what an assistant is asked to do
serve: (help(?!ed| but| \w{1,20}ing\b(?! (this|that|your)))|assist|aid|compl(y|ete|ying)|fulfill?|accommodat|satisf|honor|answer|respond|
  reply|evaluat|assess|judg|grad(e|
  ing)|scor(e|ing)|rat(e|ing)|verify|fact-check|process|continu|proceed|engag|participat|discuss|do (that|this|so)|facilitat|
  of (any )?(help|assistance|service))
# what else people say of themselves that they do not do; "I can't tell you how happy I am" is none of it
tell: (provid(e|ing)(?! (just|only|merely))|giv(e|ing)(?! up| in)|offer|take part|shar(e|ing)|disclos|reveal|suppl|generat|creat|produc|
  compos|writ(e|ing)|mak(e|ing)(?! it)|analy[sz]|review|carry|teach|instruct|guid|advis|advocat|encourag|condon|promot|endors|support|
  speculat|comment|entertain|suggest|justif|agree to|confirm or deny|list|identify|say (no|that|which|who|why|anything)|(locat|predict|
  access|perform)(?!.{0,200}\b(but|though|although|however)\b)|(tell you|explain|describe)(?! how (?!to))|recommend (any|ways|how|methods|
  that)|(form|render|issue|deliver|pass|reach|return) (\w+ ){0,2}(judg|verdict|opinion|assess))
sorry: (sorry|apologies|unfortunately|regrettably|no|but|however|i am (\w+ )?sorry|i apologi[sz]e)
this_task: (this|that|your|the|such( an?)?) (\w+ ){0,2}(request|question|task|prompt|evaluation|invitation)
product: (verdicts?|answers?|evaluations?|judge?ments?|assessments?|analysis|scores?|ratings?|grades?|response)
against: (go(es|ing)? against|violat(es?|ing)|contrary to|conflicts? with|in violation of|(is|be|falls?) (not )?(against|within|
  outside( of)?))
guideline: (guidelines?|polic(y|ies)|principles|programming|rules|values|purpose|scope|capabilities)
proper: (appropriate|ethical|acceptable|legal|safe|right|respectful|okay|advisable)
speak: (provid|discuss|ask|encourag|suggest|promot|speculat|shar|offer|giv|mak|assum|generali|stereotyp|engag|use|say|spread|recreat|
  attempt|imply|harm|judg|answer|disclos|support|advocat|plan|consider)
source: ((the|this|that|my|your|any) )?((provided|given|available|supplied|above|current|retrieved|existing) )?(contexts?|information|
  documents?|texts?|passages?|sources?|materials?|data|knowledge)( (provided|given|above|available|supplied))?
say: (answer|respond|reply|determine|help|assist|comply|discuss (that|this)|do (that|this|so)|say|tell you|comment|(provide|give|
  offer) (you )?(with )?(an?y? )?(\w+ )?(answer|response|help|assistance))
enough: (enough|sufficient|adequate|the (necessary|required|needed|relevant)) (relevant )?(information|context|data|details?|knowledge)
generic: (,? (the|this|that|it|your|you|these|any|an?|questions?|request|query|topic|matter|answer|respond|help|say|know|to|for|with|in|
  from|by|based|on|using|without|more|further|additional|enough|sufficient|about|of|at|all|here|right|now|me|us|reliably|accurately|
  confidently|correctly|fully|properly|certainty|currently|just|only|contexts?|information|documents?|texts?|passages?|sources?|
  materials?|data|details?|knowledge|provided|given|available|supplied|above)){0,24}
lead: ((as an? (ai (assistant|language model|model)|(large )?language model|ai)|(based on|from|with|given|according to) <source>),? ){0,2}
"""

ENGLISH = r"""
# I cannot help; I am an AI and do not condone violence
\bi (am (just |only |merely )?an? [\w ]{2,40}? and (i )?)?<adverb><unable>,? <adverb>(<serve>|<tell>)
\bi (am an? [\w ]{2,40} and )?(\w+ )?do not (condone|promote|endorse|encourage|engage|support|provide|discuss|participate)\b
# we, the assistant, or nobody named: only what an assistant does
\b(we|this (assistant|ai|model|chatbot)) <adverb><unable> <adverb><serve>(ing)?( you)?( with| to| on| in)? (this|that|your|these|such)
^(<sorry>[,:]?( -)? ){0,2}(can ?not|will not|unable to|not able to|must decline to|declining to) <adverb>(<serve>|provide)(?!s)
^(<sorry>,? ){0,2}i (can ?not|will not|am not able to|am unable to)$
\bi do not (help|assist|comply|answer|judge|evaluate) (you )?(with |in )?(this|that|these|such) ?(kind|sort|type|request|thing|question|
  content|topic|$)
^(let's|let us|can we|shall we|how about we) (talk about|discuss|change|move on to|switch to) (something else|something different|(another|a
   different) (topic|subject)|the (topic|subject))$
# I decline
\b(i|we) (\w+ ){0,6}(declin|refus|reject)(e|ing) <this_task>
\bi (\w+ ){0,6}(decline|refuse|abstain|pass on (this|that|it|these|answering|judging|evaluating))( one| here| from| this| that|(?=,)|$)
\bnot something (that )?i (can|am|will|do|feel)\b|\b(beyond|outside( of)?) what i (can|am)\b
\bi apologi[sz]e for not being able to|\b(prevents?|prohibits?|stops?|forbids?|keeps?) me from \w+ing
# the task, in the passive
\bno (\w+ )?<product> ((can|could|may|will) be (\w+ly )?\w+(ed|en|de)|(is|are) possible)\b
\b((this|that|your) (\w+ )?request|<product>|(the|this|your) (content|material)( \w+){0,3}) (can ?not|could not|will not) be (evaluat|
  judg|assess|given|provid|process|complet|fulfill?|made|produc|generat|return|answer|issu|render)
# a filter, a guideline
\b(prompt|request|response|output|completion|(generated|this|your|the) (text|content|message|input)) (\w+ ){0,3}(filtered|blocked|flagged|
  rejected|refused|withheld|removed)\b.{0,80}\b((content|usage|use|safety|management|moderation|community|our) polic(y|ies)|filters?|
  filtering|guidelines?|safety|moderation)
^(content|request|response|output|evaluation|assessment|judge?ment) (was |has been |is )?(filtered|blocked|flagged|declined|denied|
  refused|rejected)$
\b<against> (my|openai's?|anthropic's?) ([\w'-]+ ){0,3}<guideline>
\b(this|it|(this|your|the) (request|prompt|content|question|input|message)) ((may|might|would|clearly|appears to) )?<against> (our|the|
  its)( [\w'-]+)? (content|usage|safety|community) ([\w'-]+ ){0,2}<guideline>
# it would be wrong
^(\w+,? ){0,4}?((it|this|that) (is|would) (never|not) (be )?|i do not (think|believe) (that )?it (is|would be) )(\w+ (or|and|
  nor) ){0,2}<proper>(,? (or|and|nor) \w+){0,2}( for me)? to (\w+ or )?<speak>
\b((is not|would not be) <proper>|(is|would be) (inappropriate|unethical|improper|irresponsible|wrong)) for me to\b
^(\w+,? ){0,4}?(that|this|(this|that|your) (\w+ )?(request|topic|question|content)) (is|would) not (be )?(appropriate|ethical|
  legal)( for me to \w+)?$
"""

# What is not done is named by stems of verbs, never of a noun: "I can't find the answer" is no refusal.
OTHERS = r"""
# German
\b(ich (kann|darf|möchte|werde|will)|(kann|darf|möchte|werde) ich)\b~\b(nicht|keine?n?)\b~(helf|hilf|unterstütz|beantwort|\bantworten|
  bewert|beurteil|einschätz|bearbeit|nachkomm|erfüll|erstell|bereitstell|geben\b|prüfen)
\b(ich bin|bin ich)\b~\bnicht~(in der lage|befugt|berechtigt|befähigt)|\b(ich muss|muss ich|ich möchte)\b~\bablehnen|\bich weigere mich
# French
\bje (ne (peux|puis|saurais|souhaite|dois|veux)|ne suis pas (en mesure|capable|autorisé|apte|habilité|programmé)|refuse)~(aider|assister|
  répondre|évaluer|juger|fournir|donner\b|traiter|vérifier|proposer|poursuivre|satisfaire|accéder)
\b(il m'est impossible|je suis dans l'(impossibilité|incapacité)) de~(aider|assister|répondre|évaluer|juger|fournir|donner\b|traiter)
\bje dois (\w+ )?(refuser|décliner)\b
# Spanish
\bno (puedo|podré|me es posible|soy capaz|poder\b|estoy (en|autoriz|capacit|program|permit)|tengo (la )?(capac|permi|autori))~(ayud|asist|
  respond|contest|evalu|proporcion|juzg|valor|cumpl|completar|proces|verific|ofrec|realiz|generar|brind|emit|\bdar)
\b(debo|tengo que) (rechazar|declinar|negarme)|\bme niego a\b
# Portuguese
\bnão (posso|consigo|sou capaz|me é possível|poder\b|poderei|vou|estou (apt|autoriz|em|program)|tenho (a )?(capac|permis|autori))~(ajud|
  auxili|assist|respond|avali|julg|fornec|atend|cumpr|process|verific|oferec|realiz|gerar|emit|\bdar)
\b(devo|preciso|tenho de|tenho que) recusar|\brecuso-me\b|\bme recuso\b
# Italian
\bnon (posso|sono in grado|riesco|mi è possibile|poter|sono autorizzat|ho la)~(aiut|assist|risponde|valut|giudic|forni|soddisf|elabor|
  verific|offr|\bdare|complet|esegui)
\b(devo rifiutare|mi rifiuto)\b
# Dutch
\b(ik (kan|mag|wil|zal)|(kan|mag|wil|zal) ik)\b~\b(niet|geen)\b~(help|assist|beantwoord|antwoorden|oordel|evalue|verstrek|geven|voldoen|
  verwerk|uitvoer|lever|bijstaan)|\b(ik ben|ben ik) ~niet in staat
# Swedish, Danish and Norwegian, Finnish
\b(jag (kan|får|vill)|(kan|får) jag)\b~\binte\b~(hjälp|svara|bedöm|utvärder|tillhandahåll|ge\b)
\b(jeg (kan|må|vil)|(kan|må|vil) jeg)\b~\bikke\b~(hj[æe]lp|svare|vurder|bedøm|giv?e?\b)
\ben (\w{1,20} )?(voi|pysty|kykene)~(autta|vastata|arvioi|antaa)
# Russian, Ukrainian
\bне (могу|смогу|в состоянии|имею|буду|способ|вправе|можу|зможу|в змозі)~(помочь|помога|ответить|отвечать|оценить|оценивать|предостав|
  выполн|обсужд|обраб|судить|создать|дать|давать|допомог|відповісти|оцінити|надати|викон)
\b(вынужден\w{0,2} отказ|отказываюсь)
# Polish, Czech
\bnie (mogę|jestem w stanie|potrafię|będę)\b~(pomóc|pomagać|odpowiedzieć|odpowiadać|oceni|udzieli|dostarczy|spełni|przetw|zweryf|wykon|
  realizow|podać|wydać)|\b(muszę odmówić|odmawiam)\b
\b(nemohu|nemůžu|nejsem schop\w{0,3})\b~(pomoci|pomáhat|odpovědět|odpovídat|hodnotit|posoudit|poskytn|vyhovět|splnit)|\bmusím odmítnout\b
# Romanian, Hungarian, Greek
\bnu (pot|sunt în măsură|voi putea)\b~(ajut|răspund|evalua|oferi|furniz|judec)
\bnem (tudo[km]|áll módomban|segíthetek)\b~(segít|válaszol|értékeln|megítéln)|(segíteni|válaszolni|értékelni) nem tudok
\bδεν (μπορώ|είμαι σε θέση)\b~(βοηθ|απαντήσ|αξιολογ|παρ[έά]|δώσ|κρίν)
# Turkish: the negation is in the verb
(yardımcı ol|yardım ed|(yanıt|cevap) ver|(yanıt|cevap)lay|değerlendir|sağlay|sun|yerine getir|yargılay)[ae]m([ae]m\b|[ae]y[ıi]z\b|
  [ae]y[ae]ca|[ae]yece|[ıi]yoru[mz]\b)
# Vietnamese, Indonesian and Malay
\b(xin lỗi|rất tiếc|tôi|mình)\b~\bkhông (thể|được phép|có khả năng|đủ khả năng)(?! tìm| xác)~(giúp|hỗ trợ|trả lời|đánh giá|cung cấp|
  đáp ứng|thực hiện|xử lý|thảo luận|phán|đưa ra)
\b(maaf|saya)\b~\btidak (dapat|bisa|mampu|boleh|akan)\b~(membantu|bantu\b|menjawab|menilai|mengevaluasi|memberi|menyedia|memenuhi|
  memproses|menanggapi)
# Chinese
(抱歉|对不起|對不起|遗憾|遺憾|我(?!们|們)|作为|作為)~(无法|不能|没办法|没法|無法|沒辦法|不便|拒绝|拒絕|不会|不會)[^。！？找]{0,30}?(协助|
  帮|提供(?!的)|回答|回应|评估|评价|评判|评分|完成|满足|处理|讨论|执行|協助|幫|回應|評估|評價|評判|評分|滿足|處理|討論|執行)
# Japanese
お(応え|答え|手伝い|力になる|力添え)(する)?(こと)?[はがも]?((でき|出来)(ません|ない|かね)|(いた|致|し)しかね|しかね)|お役に立て(ません|
  ず)|お断り(いた|致|し|さ)
(申し訳|すみません|恐れ入り|ごめん|残念|私|ai|(この|これらの|次の|以下の)(内容|コンテンツ|依頼|リクエスト|質問|要求|要望|主張|文|文章|
  記述|陳述|発言)|ご(依頼|要望|質問))~(支援|評価|回答|
  対応|判断|判定|提供|協力|サポート|処理|検証|採点|応じる)(を?(する|行う)?(こと)?[はがも]?(でき|出来)(ません|ない|かね)|(いた|致)?しかね)
# Korean
(도와|도움|도울|답변|대답|응답|응할)[^.!?찾]{0,8}(수[가는도]? ?없|기 ?어렵)
(죄송|미안|유감|저는|제가|(이|이러한|이들|다음|해당) (내용|요청|콘텐츠|질문|진술|주장|문장))~(평가|제공|처리|지원|판단|
  수행)[^.!?찾]{0,6}(수[가는도]? ?없|기 ?어렵)
# Thai
(ขออภัย|ขอโทษ|เสียใจ|ฉัน|ผม|เรา|ดิฉัน)~ไม่(สามารถ|อาจ)~(ช่วย|(?<!คำ)ตอบ|ประเมิน|ให้|ดำเนินการ|ตัดสิน|สนับสนุน|ทำตาม)
# Arabic, Persian, Hebrew
(لا (يمكنني|أستطيع)|لن (أتمكن|أستطيع|يمكنني)|لست قادر|غير قادر|ليس بإمكاني|أعتذر عن)(?!.{0,4}(العثور|إيجاد))~(ساعد|جاب|أجيب|الرد|تقييم|
  أقيم|تقديم|توفير|تلبية|الحكم|إعطاء|معالج|تنفيذ)
(کمک|پاسخ|ارزیابی|ارائه|قضاوت)~نمی.?توان(م|یم)|نمی.?توان(م|یم)~(کمک|پاسخ|ارزیابی|ارائه|قضاوت)
\b(אני לא (יכול|מסוגל)|לא אוכל|(אינני|איני) (יכול|מסוגל))~(לעזור|לסייע|לענות|להעריך|לספק|לשפוט)
# Hindi, Bengali
(मैं|मुझे|क्षमा|माफ़|माफ|खेद)~(मदद|सहायता|उत्तर|जवाब|मूल्यांकन|प्रदान|आकलन|निर्णय)~(नहीं (कर|दे|दूँ|दूंगा|पा)|असमर्थ|अक्षम)
আমি~(সাহায্য|সহায়তা|উত্তর|মূল্যায়ন)~(পারছি না|পারি না|পারব না|অক্ষম)
"""

# ---------------------------------------------------------------- what makes it no refusal

VERDICT_WORD = (
    r"(yes|no|idk|borderline|(not[ _]|un|fully[ _]|partially[ _])?supported|contradict(ed|ory)|not[ _]enough[ _]info\w{0,10}|"
    r"no[ _]evidence|ja|nein|oui|non|sí|si|não|sim|sì|nee|nej|nei|да|нет|так|ні|tak|nie|evet|hayır|có|không|ya|tidak|是|否|不是|はい|"
    r"いいえ|예|네|아니오|아니요|ใช่|ไม่|ไม่ใช่|نعم|لا|हाँ|हां|नहीं|ναι|όχι|ano|ne|כן|לא)"
)
VERDICT = (
    rf"(?m)[:：]\s{{0,3}}[\[\"'_]{{0,4}}{VERDICT_WORD}\s{{0,3}}(?=[\"'.。!！_;)\]}}\n]|$|,\s{{0,3}}[\"']?{VERDICT_WORD}\b)"
    r"|(\b|_)(verdicts?|labels?|supported|faithful|judge?ment)\s{0,3}[\"']?[:：]\s{0,3}\W{0,4}"
    rf"({VERDICT_WORD}|true|false|[01])\b(?! \w)"
    rf"|^[^\w\n]{{0,8}}(\d{{1,4}}[^\w\n]{{1,4}})?{VERDICT_WORD}[^\w\n]{{0,4}}$"
    rf"|\bstatement[ _]?\d{{1,4}}\W{{1,4}}{VERDICT_WORD}\b"
    r"|\b(is|are) (not |un|fully |partially )supported\b|\bcontradicted by\b"
)
# Before a match: a condition, or someone else's words. After it: a speaker, or help after all.
BEFORE = (
    r"\b(if|when|whenever|unless|where|while|until|once|said|says|stated|states|told|replied|wrote|writes|claims|announced)\b"
    r"[^,;:]{0,40}:? ?$"
)
AFTER = (
    r"^.{0,20}[,'] ?((the|a|his|her|my|our) )?(\w{1,20} ){0,2}(said|says|replied|answered|insisted|shouted|whispered|wrote)\b"
    r"|((\bbut|\bso|\bthough|;|:) ?(here|below)|\bhere (it )?(is|are))\b"
    r"|; ?(the )?(other )?(statement|claim|one)s?( \d{1,4})? (is|are|was|were)\b"
)

# ---------------------------------------------------------------- one sentence that only declines

# Words of regret that may come first, in all languages.
REGRET = """
sorry / i am sorry / i am so sorry / i am very sorry / i am really sorry / apologies / my apologies / i apologize / i apologise
unfortunately / regrettably / i am afraid / i regret to say / i regret / thank you / but / however / that / es tut mir leid
es tut mir sehr leid / tut mir leid / entschuldigung / leider / aber / je suis désolé / je suis désolée / désolé / désolée / navré
je regrette / malheureusement / mais / lo siento / lo lamento / lamentablemente / desafortunadamente / disculpa / disculpe / perdón
pero / desculpe / lamento / infelizmente / sinto muito / mas / mi dispiace / spiacente / purtroppo / ma / het spijt me / helaas / maar
извините / простите / к сожалению / но / niestety / przepraszam / przykro mi / ale / üzgünüm / maalesef / ne yazık ki / ama / xin lỗi
rất tiếc / nhưng / mohon maaf / maaf / tetapi / tapi / عذرا / عذرًا / عذراً / آسف / للأسف / لكن / क्षमा करें / माफ़ कीजिए / लेकिन
很抱歉 / 非常抱歉 / 抱歉 / 对不起 / 對不起 / 不好意思 / 申し訳ありませんが / 申し訳ございませんが / 申し訳ありません / すみませんが
すみません / 残念ながら / 죄송하지만 / 죄송합니다만 / 죄송합니다 / 미안하지만
"""
# "word: rule": where the word stands in the sentence, the rule is tried. It meets what follows the regret from end to end, and its
# vocabulary is closed: whoever names a thing, a person or a number has said more.
DECLINES = r"""
no : no (idea|clue)
not enough: not <enough>( in <source>| (provided|given|available))?( (for me )?to <say><generic>)?
insufficient: insufficient (information|context|data|evidence)( in <source>| (provided|given|available))?( (for me )?to <say><generic>)?
not be: <lead>(the answer( to (this|that|your|the) question)?|(this|that|your|the) question) (can ?not|could not) be (determined|answered|
  inferred|given)<generic>
i am: i am (just |only )?an? (ai( assistant| language model| model| chatbot)?|(large )?language model|chatbot|virtual assistant),? (and|
  so) (i
   )?(therefore )?(can ?not|am (unable|not able) to) <say><generic>
not: <lead>i (\w+ly )?(can ?not|could not|am (\w+ )?not able to|will not( be able to)?|would rather not) (\w+ly )?(<say>|know|find (the|
  an) answer)<generic>
unable to: <lead>i am (\w+ )?unable to (<say>|find (the|an) answer)<generic>
i must decline: i must decline( to <say>)?<generic>
do not: <lead>i (\w+ly )?do not (know|have (an answer|any information|that information|this information|<enough>))<generic>
i lack: <lead>i lack <enough><generic>
i have no: <lead>i have no (idea|clue|answer|information)<generic>
i am not: <lead>i am not (sure|certain)
there : there (is|was) (not enough|insufficient|not sufficient) (information|context|data|
  details?)( in <source>)?( for me)? to <say><generic>
not: <source> (does|do) not ((let|allow|permit|enable) me( to)?|(contain|provide|include|have|offer) <enough>( for me)? to) <say><generic>
weiß: (ich weiß (es |das )?|(das|dies|es) weiß ich )(leider )?nicht
kann: ((das|dies|(diese|die|ihre|deine) frage|darauf|dabei|damit) kann ich|(ich kann|kann ich)( ihnen| dir)?( das| dies| (diese|die|ihre|
  deine) frage| darauf| dabei| damit)?)( ihnen| dir)?( leider)? nicht (beantworten|antworten|sagen|helfen)
habe: (ich habe|habe ich)( leider)? nicht (genug|genügend) informationen(, um ((diese|die|ihre|deine) frage|das|dies) (zu beantworten|
  beantworten zu können))?
je : je ne (sais pas|peux pas|saurais|suis pas en mesure de)( (y|vous|te))?( (répondre|aider|dire))?( (à|avec) (cette|votre|ta|
  la) (question|demande))?
je : je (l'ignore|n'en sais rien|n'ai pas (assez|suffisamment) d'informations?( pour( y)? répondre( à (cette|votre|ta|la) question)?)?)
no : no (lo )?sé( la respuesta)?|no puedo (responder|contestar|ayudar|decir)(te|le|lo|la)?( (a |con )?((esa|esta|tu|su|la) (pregunta|
  solicitud)|eso|esto))?
no tengo: no tengo suficiente información( para (responder|contestar)(la)?( (a )?(esa|esta|tu|su|la) pregunta)?)?
não : (eu )?não (sei( a resposta| responder)?|(posso|consigo) (responder|ajudar|dizer)( (a |com |à )?((essa|esta|sua|tua) pergunta|isso|
  isto))?)
não tenho: não tenho informaç(ão|ões) suficientes?( para responder( (a |à )?(essa|esta|sua|tua) pergunta)?)?
non : non (lo )?so( la risposta)?|non (posso|sono in grado di) (rispondere|aiutar(ti|la|vi)|dirlo)( a (questa|
  quella) domanda| con questo)?
non ho: non ho (abbastanza|sufficienti) informazioni( per rispondere( a (questa|quella) domanda| alla (tua |sua )?domanda)?)?
niet: (ik weet (het|dat)|(dat|het) weet ik)( helaas)? niet|(ik kan|kan ik) (je|u) (hier|daar)(mee|bij)?( helaas)? niet( mee| bij)? helpen
niet: ((ik kan|kan ik)( dat| dit| (die|deze|je|uw) vraag)?|(dat|dit|(die|deze) vraag) kan ik)( helaas)? niet beantwoorden
не : (я )?(этого )?не (знаю( ответа)?|могу (вам )?(ответить|помочь|сказать)( на (этот|ваш|твой) вопрос| с этим| в этом)?)
nie : (tego )?nie wiem|nie mogę (odpowiedzieć|pomóc)( na (to|twoje|to twoje) pytanie| w tej sprawie| w tym)?
m: bilmiyorum|(bu soruyu |bunu )?(yanıt|cevap)laya(m[ıi]yorum|mam)|(bu soruya |buna )?(yanıt|cevap) veremem|(bu konuda )?(size |
  sana )?yardımcı olamam
không: tôi không (biết|thể (trả lời|giúp)( bạn)?( câu hỏi (này|đó|của bạn)| (việc|điều) (này|đó))?)
tidak: saya tidak (tahu|(dapat|bisa) (menjawab|membantu)(( pertanyaan)? (ini|itu|anda|tersebut))?)
不: 我?(不知道|不清楚|不能回答)(这个|这一|该|您的|你的|此|這個|該)?(问题|問題)?(的?答案)?
回答: 我?(无法|無法)回答(这个|这一|该|您的|你的|此|這個|該)?(问题|問題)?
ません: ((その|この|ご)?(質問|件)?(には|に|は|については)?(お答え|回答)(する)?(こと)?[はが]?(でき|出来)ません|(私(に)?は)?(わか|
  分か)りません|知りません)
다: (저는 )?(잘 )?(모르겠습니다|모릅니다)|(그|이|해당) 질문에(는)? ?(답변|대답|답)(을)? ?(해 ?)?(드릴|할) 수 없습니다
لا: لا ((أعرف|أعلم)( الإجابة)?|(يمكنني|أستطيع) (الإجابة|المساعدة)( (على|عن) (هذا السؤال|سؤالك|ذلك)| في (ذلك|هذا))?)
नहीं: मुझे (नहीं पता|पता नहीं)( है)?|मैं (इस|आपके) (प्रश्न|सवाल) का (उत्तर|जवाब) नहीं दे सकत[ाी]( हूँ| हूं)?
"""

# "what: rule" for a sentence that may stand beside one that declines: offers, questions back, thanks. Closed, from end to end.
BESIDE = """
offer: (please )?(feel free to )?(let me know|tell me|ask( me)?)( if (you have|there (is|are)) (any )?(other |more |further )?questions?| if
   you need (any |some )?(more |further |other )?(help|assistance|information)| any(thing else| other questions?)|
   if there is anything else i can
   (help|assist|do)( you)?( with| for you)?| how (else )?i can (help|assist)( you)?)?( further)?
offer: (i am (always )?(here|happy|glad) to|i (would|will) be (happy|glad) to) (help|assist)( you)?( with (anything|something) else|
   with (any )?
  (other|further) questions?| further)?
question: (is there|do you need|do you want) (anything|something) else( (that )?i can (help|assist|do)( you)?( with| for you)?)?( today)?
question: (how|what) (else )?(can|may|could) i (help|assist|do)( for)?( you)?( with| instead| today| further)?
question: do you have (any )?(other|more|further) questions?
question: (please|(could|can|would) you (please )?) ?(provide|share|give|supply|add|offer)( me)?( with)?( some)?( (more|additional|further|
  enough|the (relevant|necessary)))( relevant)? (context|information|details?|data)( about (your|the|this) question)?( so (that )?i can
   (help|assist|answer)( you)?( better)?)?
question: (please|(could|can|would) you (please )?) ?(rephrase|clarify|reword|repeat) (your|the|that) question
thanks: (many )?thanks( (a lot|for (your|the) (question|understanding|patience)))?|for your (question|understanding|patience)
self: i am (just |only )?an? (ai( assistant| language model| model| chatbot)?|(large )?language model|chatbot|virtual assistant)
German: (kann|darf) ich (ihnen|dir) (sonst )?(noch )?(irgendwie |bei etwas anderem |weiter )?helfen|haben sie (noch )?(weitere|
  andere) fragen|bitte
   (geben|stellen) sie (mir )?(mehr|weitere) (kontext|informationen|details)( an| bereit| zur verfügung)?
French: (puis-je|est-ce que je peux) (vous |t')aider (avec|pour) autre chose|avez-vous d'autres questions|(veuillez|merci de) (fournir|
  donner)
   (plus|davantage) (de |d')(contexte|informations?|détails)|n'hésitez pas( à (me )?(demander|poser d'autres questions))?
Spanish: ¿?(puedo|hay algo más en (lo )?que pueda) (ayudarte|ayudarle|ayudar)( (en|con) (algo|otra cosa)( más)?)?|¿?(tiene|tienes) (otra|
  alguna otra)
   pregunta|por favor,? (proporcione|proporciona|dame|deme) más (contexto|información|detalles)
Portuguese: (posso|há (algo|mais alguma coisa) (mais )?em que (eu )?possa) (ajudar|ajudá-lo|te ajudar)( (em|com) (algo mais|mais alguma
   coisa))?|por favor,? (forneça|dê) mais (contexto|informações|detalhes)
Italian: (posso|c'è altro in cui (io )?possa) (aiutarti|aiutarla|aiutare)( (in|con) (altro|qualcos'altro))?|(per favor[ei],? )?(fornisci|
  fornisca) (più|maggiori|ulteriori) (contesto|informazioni|dettagli)
Dutch: kan ik (u|je) (nog )?(ergens )?(anders )?(mee )?(verder )?helpen|geef (alstublieft |me )?meer (context|informatie)
Russian: (могу ли я|чем (ещё|еще) (я )?могу)( (вам|тебе))?( (ещё|еще) чем-то)? помочь|пожалуйста,? (предоставьте|дайте) больше
   (контекста|информации)
Chinese: (请|請)(提供|给我|給我)更多(的)?(信息|資訊|上下文|背景|细节|細節)|(还|還)有(什么|什麼|其他)(我)?(可以|能)(帮|幫)(您|你)(的)?(吗|
  嗎)?
Japanese: (他に|ほかに)(何か)?お(手伝い|役に立て)(できる|る)?こと(は|が)?あり?ます?か|(もっと|さらに)?(詳しい|詳細な)?(情報|
  文脈)を(教えて|提供して)ください
Korean: (더|다른) ?(도와|도움)[가-힣 ]{0,12}(까요|나요|있나요)|(더 많은|추가) (정보|맥락)를? (제공해|알려) ?주세요
"""
