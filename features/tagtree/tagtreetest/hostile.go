package tagtreetest

// HostilePages are pages that want a sanitiser to read them in another way than a
// browser does, or that break the rules of nesting.
var HostilePages = []string{
	`<p onclick=x() style="background:url(javascript:x)" id=a class=b>members<script>x()</script></p>`,
	`<a href="javascript:x()">members</a><a href=" java&#10;script:x()">members</a><a href="data:text/html,<script>x()</script>">members</a>`,
	`<noscript><p title="</noscript><img src=x onerror=x()>">members</noscript>members`,
	`<svg></p><style><a title="</style><img src onerror=x()>">members</svg>members`,
	`<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=x()&gt;">members</math>`,
	`<form><math><mtext></form><form><mglyph><style></math><img src onerror=x()>members`,
	`<math><annotation-xml encoding="text/html"><style><img src=x onerror=x()></style>members</annotation-xml></math>`,
	`members<template><script>x()</script></template><template shadowrootmode=open>members</template>`,
	`<textarea><img title="</textarea><img src=x onerror=x()>">members`, `<xmp><img title="</xmp><script>x()</script>">members`,
	`<select><option>members<img src=x onerror=x()></select>`, `<title>members</title><iframe srcdoc="<script>x()</script>">members</iframe>`,
	`<plaintext>members</plaintext><script>x()</script>`, `<listing>&lt;img onerror=x()&gt;members</listing>`,
	`<img alt="members&quot;&gt;&lt;script&gt;x()&lt;/script&gt;" src="x.png" onerror=x()>`, `<p title='"><script>x()</script>'>members`,
	"<p>mem\x00bers\r\nmembers\x0c<p/title=\x00>members", `<base href="javascript:x()//"><a href=y>members</a><img src=y alt=members>`,
	`<a href=1>members<table><tr><td><a href=2>members</a></table></a>`, `<a href=1><a href=2>members<div><a href=3>members`,
	`<table>members<tr>members<td>members<table><caption>members<td>members</table>members</table>`, `<p><table><tr><td>members</table>members`,
	`<li>members<dd>members<td>members<tr>members<option>members<rt>members<caption>members<col><tbody>members`,
	`<ul>members<table><li>members</table></ul><ol><p>members<ol>members<li value=3>members<li>members</ol></ol>`,
	`<h1>members<h2>members<h3><b>members<h4>members</h1>`, `<b><b><b><b><b>members<p>members</b>members</p></b></b></b>members`,
	`<dl><div><dt>members<dd>members</div><dt>members<dl><dd>members</dl></dl>`, `<button><p>members<button><p>members`,
	`<pre>` + "\n\n\nmembers\n\n\nmembers <b>\nmembers\n</b></pre>", `<ruby>members<rt>members<b><rp>members</ruby>`,
	`<frameset><frame src=members.html title=members></frameset>`, `<map><area href=a alt=members></map><table><area href=b alt=members><iframe src=members></iframe></table>`,
	`<p>members<center>members<p>members<hr>members</center>members`, `<font><br>members<br><font>members<br><br>members</font></font>`,
	`<body dir=rtl lang=ar><p dir=ltr lang="</p>">members<br>`, `<table><tr><td rowspan=9999999 colspan="1;2">members<th scope=row onload=x>members`,
	`<header><main>members</main></header><details><summary>members</summary>members</details><fieldset><legend>members</legend></fieldset>`,
	`<meta name=description content="<script>members</script>"><meta property=og:title content='members "x"'><p itemprop=name content=members>`,
}
