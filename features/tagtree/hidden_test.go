package tagtree

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// What a reader sees is text, however a page was made to hide and show it.
func TestShownAndHidden(t *testing.T) {
	tests := []struct{ name, html, want string }{
		{"conditional comments", "<!--[if IE]><p>no</p><![endif]--><![if !IE]><p>yes</p><![endif]><!--[if !IE]> --><p>and yes</p><!-- <![endif]-->", "yes\nand yes"},
		{"a comment in a comment", "<!-- a <!-- b --><p>yes</p><!-->-->", "yes\n-->"},
		{"details, open or not", "<details><summary>Topics</summary><p>Owls</details><details open><summary>Dates</summary>May</details>", "Topics\nOwls\nDates\nMay"},
		{"dialog only if open", "<dialog><p>no cookies</dialog><dialog open>yes</dialog>", "yes"},
		{"an attribute without value", "<p hidden>no<p hidden=until-found>no<p hidden=''>no<p data-hidden>yes", "yes"},
		{"aria-hidden is seen, though not heard", "<p aria-hidden=true>Owls 2026", "Owls 2026"},
		{"template and noscript", "<body><template><p>no<template>no</template></template><noscript>no<p>no</p></noscript><p>yes", "yes"},
		{"a template in a table", "<table><template><tr><td>no</template><tr><td>yes</table>", "yes"},
		{"styles with white space and capitals", "<p STYLE='Display :\n NONE !important'>no<p style='display:block'>yes", "yes"},
		{"within what is hidden", "<div hidden><p style='display:block'>no<table><tr><td>no</table></div>yes", "yes"},
		{"fallbacks of what is shown", "<object><p>no</object><video>no</video><canvas>no</canvas><audio>no</audio><p>yes", "yes"},
		{"a frame's fallback", "<iframe src=a>no <p>no</p></iframe><p>yes", "yes"},
		{"a page with nothing but noscript and script", "<script>x</script><noscript><h1>Owls</h1><p>Call</noscript>", "Owls\nCall"},
		{"buttons and labels", "<p><button>Dates</button> <label>Topics <input value=no></label>", "Dates Topics"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, parse(t, tt.html).Text()); diff != "" {
				t.Error(diff)
			}
		})
	}
}
