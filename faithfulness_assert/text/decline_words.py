"""The words of sentences that only decline, and of those beside them, as data for ``declines.py``.

The tables are written as ``phrases.py`` explains.
"""

from __future__ import annotations

# Words of regret that may come first, in all languages.
REGRET = """
sorry / i am sorry / i am so sorry / i am very sorry / i am really sorry / apologies
my apologies / i apologize / i apologise / unfortunately / regrettably / i am afraid
i regret to say / i regret / thank you / but / however / that / es tut mir leid
es tut mir sehr leid / tut mir leid / entschuldigung / leider / aber / je suis désolé
je suis désolée / désolé / désolée / navré / je regrette / malheureusement / mais / lo siento
lo lamento / lamentablemente / desafortunadamente / disculpa / disculpe / perdón / pero / desculpe
lamento / infelizmente / sinto muito / mas / mi dispiace / spiacente / purtroppo / ma
het spijt me / helaas / maar / извините / простите / к сожалению / но / niestety / przepraszam
przykro mi / ale / üzgünüm / maalesef / ne yazık ki / ama / xin lỗi / rất tiếc / nhưng
mohon maaf / maaf / tetapi / tapi / عذرا / عذرًا / عذراً / آسف / للأسف / لكن / क्षमा करें / माफ़ कीजिए
लेकिन / 很抱歉 / 非常抱歉 / 抱歉 / 对不起 / 對不起 / 不好意思 / 申し訳ありませんが
申し訳ございませんが / 申し訳ありません / すみませんが / すみません / 残念ながら / 죄송하지만
죄송합니다만 / 죄송합니다 / 미안하지만
"""
# "word: rule": a rule is tried if the word is in the sentence. It must match all that follows the
# regret, and its vocabulary is closed: to name a thing, a person or a number is to say more.
DECLINES = r"""
no : no (idea|clue)
not enough: not <enough>( in <source>| (provided|given|available))?( (for me )?to <say><generic>)?
insufficient: insufficient (information|context|data|evidence)( in <source>| (provided|given|
  available))?( (for me )?to <say><generic>)?
not be: <lead>(the answer( to (this|that|your|the) question)?|(this|that|your|
  the) question) (can ?not|could not) be (determined|answered|inferred|given)<generic>
i am: i am (just |only )?an? (ai( assistant| language model| model| chatbot)?|
  (large )?language model|chatbot|virtual assistant),? (and|so) (i )?(therefore )?(can ?not|
  am (unable|not able) to) <say><generic>
not: <lead>i (\w+ly )?(can ?not|could not|am (\w+ )?not able to|will not( be able to)?|
  would rather not) (\w+ly )?(<say>|know|find (the|an) answer)<generic>
unable to: <lead>i am (\w+ )?unable to (<say>|find (the|an) answer)<generic>
i must decline: i must decline( to <say>)?<generic>
do not: <lead>i (\w+ly )?do not (know|have (an answer|any information|that information|
  this information|<enough>))<generic>
i lack: <lead>i lack <enough><generic>
i have no: <lead>i have no (idea|clue|answer|information)<generic>
i am not: <lead>i am not (sure|certain)
there : there (is|was) (not enough|insufficient|not sufficient) (information|context|data|
  details?)( in <source>)?( for me)? to <say><generic>
not: <source> (does|do) not ((let|allow|permit|enable) me( to)?|(contain|provide|include|have|
  offer) <enough>( for me)? to) <say><generic>
weiß: (ich weiß (es |das )?|(das|dies|es) weiß ich )(leider )?nicht
kann: ((das|dies|(diese|die|ihre|deine) frage|darauf|dabei|damit) kann ich|(ich kann|
  kann ich)( ihnen| dir)?( das| dies| (diese|die|ihre|deine) frage| darauf| dabei| damit)?)( ihnen|
   dir)?( leider)? nicht (beantworten|antworten|sagen|helfen)
habe: (ich habe|habe ich)( leider)? nicht (genug|genügend) informationen(, um ((diese|die|ihre|
  deine) frage|das|dies) (zu beantworten|beantworten zu können))?
je : je ne (sais pas|peux pas|saurais|suis pas en mesure de)( (y|vous|te))?( (répondre|aider|
  dire))?( (à|avec) (cette|votre|ta|la) (question|demande))?
je : je (l'ignore|n'en sais rien|n'ai pas (assez|suffisamment) d'informations?( pour(
   y)? répondre( à (cette|votre|ta|la) question)?)?)
no : no (lo )?sé( la respuesta)?|no puedo (responder|contestar|ayudar|decir)(te|le|lo|la)?( (a |
  con )?((esa|esta|tu|su|la) (pregunta|solicitud)|eso|esto))?
no tengo: no tengo suficiente información( para (responder|contestar)(la)?( (a )?(esa|esta|tu|su|
  la) pregunta)?)?
não : (eu )?não (sei( a resposta| responder)?|(posso|consigo) (responder|ajudar|dizer)( (a |com |
  à )?((essa|esta|sua|tua) pergunta|isso|isto))?)
não tenho: não tenho informaç(ão|ões) suficientes?( para responder( (a |à )?(essa|esta|sua|
  tua) pergunta)?)?
non : non (lo )?so( la risposta)?|non (posso|sono in grado di) (rispondere|aiutar(ti|la|vi)|
  dirlo)( a (questa|quella) domanda| con questo)?
non ho: non ho (abbastanza|sufficienti) informazioni( per rispondere( a (questa|quella) domanda|
   alla (tua |sua )?domanda)?)?
niet: (ik weet (het|dat)|(dat|het) weet ik)( helaas)? niet|(ik kan|kan ik) (je|u) (hier|daar)(mee|
  bij)?( helaas)? niet( mee| bij)? helpen
niet: ((ik kan|kan ik)( dat| dit| (die|deze|je|uw) vraag)?|(dat|dit|(die|
  deze) vraag) kan ik)( helaas)? niet beantwoorden
не : (я )?(этого )?не (знаю( ответа)?|могу (вам )?(ответить|помочь|сказать)( на (этот|ваш|
  твой) вопрос| с этим| в этом)?)
nie : (tego )?nie wiem|nie mogę (odpowiedzieć|pomóc)( na (to|twoje|to twoje) pytanie| w tej sprawie|
   w tym)?
m: bilmiyorum|(bu soruyu |bunu )?(yanıt|cevap)laya(m[ıi]yorum|mam)|(bu soruya |buna )?(yanıt|
  cevap) veremem|(bu konuda )?(size |sana )?yardımcı olamam
không: tôi không (biết|thể (trả lời|giúp)( bạn)?( câu hỏi (này|đó|của bạn)| (việc|điều) (này|đó))?)
tidak: saya tidak (tahu|(dapat|bisa) (menjawab|membantu)(( pertanyaan)? (ini|itu|anda|tersebut))?)
不: 我?(不知道|不清楚|不能回答)(这个|这一|该|您的|你的|此|這個|該)?(问题|問題)?(的?答案)?
回答: 我?(无法|無法)回答(这个|这一|该|您的|你的|此|這個|該)?(问题|問題)?
ません: ((その|この|ご)?(質問|件)?(には|に|は|については)?(お答え|回答)(する)?(こと)?[はが]?(でき|
  出来)ません|(私(に)?は)?(わか|分か)りません|知りません)
다: (저는 )?(잘 )?(모르겠습니다|모릅니다)|(그|이|해당) 질문에(는)? ?(답변|대답|
  답)(을)? ?(해 ?)?(드릴|할) 수 없습니다
لا: لا ((أعرف|أعلم)( الإجابة)?|(يمكنني|أستطيع) (الإجابة|المساعدة)( (على|عن) (هذا السؤال|سؤالك|ذلك)|
   في (ذلك|هذا))?)
नहीं: मुझे (नहीं पता|पता नहीं)( है)?|मैं (इस|आपके) (प्रश्न|सवाल) का (उत्तर|जवाब) नहीं दे सकत[ाी]( हूँ| हूं)?
"""
# "what: rule" for a sentence beside one that declines: offers, questions back, thanks. A rule must
# match all of the sentence.
BESIDE = """
offer: (please )?(feel free to )?(let me know|tell me|ask( me)?)( if (you have|there (is|
  are)) (any )?(other |more |further )?questions?| if you need (any |some )?(more |further |
  other )?(help|assistance|information)| any(thing else| other questions?)|
   if there is anything else i can (help|assist|do)( you)?( with| for you)?|
   how (else )?i can (help|assist)( you)?)?( further)?
offer: (i am (always )?(here|happy|glad) to|i (would|will) be (happy|glad) to) (help|
  assist)( you)?( with (anything|something) else| with (any )?(other|further) questions?| further)?
question: (is there|do you need|do you want) (anything|something) else( (that )?i can (help|assist|
  do)( you)?( with| for you)?)?( today)?
question: (how|what) (else )?(can|may|could) i (help|assist|do)( for)?( you)?( with| instead| today|
   further)?
question: do you have (any )?(other|more|further) questions?
question: (please|(could|can|would) you (please )?) ?(provide|share|give|supply|add|
  offer)( me)?( with)?( some)?( (more|additional|further|enough|the (relevant|
  necessary)))( relevant)? (context|information|details?|data)( about (your|the|
  this) question)?( so (that )?i can (help|assist|answer)( you)?( better)?)?
question: (please|(could|can|would) you (please )?) ?(rephrase|clarify|reword|repeat) (your|the|
  that) question
thanks: (many )?thanks( (a lot|for (your|the) (question|understanding|patience)))?|
  for your (question|understanding|patience)
self: i am (just |only )?an? (ai( assistant| language model| model| chatbot)?|
  (large )?language model|chatbot|virtual assistant)
German: (kann|darf) ich (ihnen|dir) (sonst )?(noch )?(irgendwie |bei etwas anderem |weiter )?helfen|
  haben sie (noch )?(weitere|andere) fragen|bitte (geben|stellen) sie (mir )?(mehr|
  weitere) (kontext|informationen|details)( an| bereit| zur verfügung)?
French: (puis-je|est-ce que je peux) (vous |t')aider (avec|pour) autre chose|
  avez-vous d'autres questions|(veuillez|merci de) (fournir|donner) (plus|davantage) (de |
  d')(contexte|informations?|détails)|n'hésitez pas( à (me )?(demander|poser d'autres questions))?
Spanish: ¿?(puedo|hay algo más en (lo )?que pueda) (ayudarte|ayudarle|ayudar)( (en|con) (algo|
  otra cosa)( más)?)?|¿?(tiene|tienes) (otra|alguna otra) pregunta|por favor,? (proporcione|
  proporciona|dame|deme) más (contexto|información|detalles)
Portuguese: (posso|há (algo|mais alguma coisa) (mais )?em que (eu )?possa) (ajudar|ajudá-lo|
  te ajudar)( (em|com) (algo mais|mais alguma coisa))?|por favor,? (forneça|dê) mais (contexto|
  informações|detalhes)
Italian: (posso|c'è altro in cui (io )?possa) (aiutarti|aiutarla|aiutare)( (in|con) (altro|
  qualcos'altro))?|(per favor[ei],? )?(fornisci|fornisca) (più|maggiori|ulteriori) (contesto|
  informazioni|dettagli)
Dutch: kan ik (u|je) (nog )?(ergens )?(anders )?(mee )?(verder )?helpen|geef (alstublieft |
  me )?meer (context|informatie)
Russian: (могу ли я|чем (ещё|еще) (я )?могу)( (вам|тебе))?( (ещё|еще) чем-то)? помочь|
  пожалуйста,? (предоставьте|дайте) больше (контекста|информации)
Chinese: (请|請)(提供|给我|給我)更多(的)?(信息|資訊|上下文|背景|细节|細節)|(还|還)有(什么|什麼|
  其他)(我)?(可以|能)(帮|幫)(您|你)(的)?(吗|嗎)?
Japanese: (他に|ほかに)(何か)?お(手伝い|役に立て)(できる|る)?こと(は|が)?あり?ます?か|(もっと|
  さらに)?(詳しい|詳細な)?(情報|文脈)を(教えて|提供して)ください
Korean: (더|다른) ?(도와|도움)[가-힣 ]{0,12}(까요|나요|있나요)|(더 많은|추가) (정보|
  맥락)를? (제공해|알려) ?주세요
"""
