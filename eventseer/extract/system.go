package extract

import (
	"net/url"
	"strings"
)

// submissionSystems are systems for submitting papers and their hosts. A host includes its subdomains. "*"
// matches one or more labels. A path after the host limits it to the part for submissions.
var submissionSystems = []struct{ name, hosts string }{
	{"easychair", "easychair.org/conferences easychair.org/my easychair.org/account"},
	{"cmt", "cmt.research.microsoft.com cmt2.research.microsoft.com cmt3.research.microsoft.com cmt.org"},
	{"openreview", "openreview.net/group openreview.net/invitation openreview.net/submit"},
	{"hotcrp", "hotcrp.com hotcrp.*"},
	{"edas", "edas.info"},
	{"softconf", "softconf.com"},
	{"conftool", "conftool.net conftool.com conftool.org conftool.pro conftool.*"},
	{"pretalx", "pretalx.com pretalx.*"},
	{"sessionize", "sessionize.com"},
	{"papercall", "papercall.io"},
	{"precisionconference", "precisionconference.com"},
	{"equinocs", "equinocs.springernature.com"},
	{"ocs", "ocs.springer.com"},
	{"meteor", "meteor.springer.com"},
	{"confmaster", "confmaster.net"},
	{"cyberchair", "wi-lab.com/cyberchair cyberchair.com borbala.com/cyberchair cyberchairpro.*"},
	{"oxfordabstracts", "oxfordabstracts.com"},
	{"exordo", "exordo.com"},
	{"fourwaves", "fourwaves.com"},
	{"indico", "indico.*"},
	{"linklings", "linklings.net"},
	{"paperplaza", "paperplaza.net ras.papercept.net papercept.net css.paperplaza.net"},
	{"manuscriptcentral", "manuscriptcentral.com"},
	{"editorialmanager", "editorialmanager.com"},
	{"ees", "ees.elsevier.com"},
	{"scholarone", "scholarone.com"},
	{"jems", "jems.sbc.org.br jems3.sbc.org.br submissoes.sbc.org.br"},
	{"confy", "confy.eai.eu confy.eu"},
	{"cocus", "cocus.create-net.org"},
	{"myreview", "myreview.*"},
	{"openconf", "openconf.org openconf.com openconf.*"},
	{"confsys", "confsys.encs.concordia.ca"},
	{"conference-service", "conference-service.com"},
	{"primoris", "insticc.org/primoris"},
	{"xcdsystem", "xcdsystem.com"},
	{"confex", "confex.com"},
	{"sciforum", "sciforum.net"},
	{"continue", "continue-conf.org continue2.cs.brown.edu"},
	{"dryfta", "dryfta.com"},
	{"janeway", "janeway.systems"},
	{"sciencesconf", "sciencesconf.org"},
	{"abstractcentral", "abstractcentral.com"},
	{"converia", "converia.de"},
}

// formHosts are services for any kind of form. A form is for submissions only if the page says so.
var formHosts = []struct{ name, hosts string }{
	{"google-forms", "docs.google.com/forms forms.gle"},
	{"ms-forms", "forms.office.com forms.microsoft.com forms.cloud.microsoft"},
	{"typeform", "typeform.com"},
	{"jotform", "jotform.com jotformeu.com"},
	{"cognitoforms", "cognitoforms.com"},
	{"wufoo", "wufoo.com"},
	{"surveymonkey", "surveymonkey.com surveymonkey.co.uk"},
	{"airtable", "airtable.com"},
	{"formstack", "formstack.com"},
	{"smartsheet", "app.smartsheet.com"},
	{"qualtrics", "qualtrics.com"},
	{"framaforms", "framaforms.org"},
	{"limesurvey", "limesurvey.org limequery.com"},
}

// A hostRule maps a host to the name of its service. below is a path to which the rule is limited, or "".
type hostRule struct{ name, host, below string }

// hostRules converts a table of services to rules.
func hostRules(table []struct{ name, hosts string }) []hostRule {
	var rules []hostRule
	for _, s := range table {
		for pattern := range strings.FieldsSeq(s.hosts) {
			host, below, _ := strings.Cut(pattern, "/")
			rules = append(rules, hostRule{s.name, host, below})
		}
	}
	return rules
}

var submissionRules, formRules = hostRules(submissionSystems), hostRules(formHosts)

// systemOf returns the submission system of a URL, or "" for none.
func systemOf(target string) string { return hostIn(target, submissionRules) }

// formOf returns the service for forms of a URL, or "" for none.
func formOf(target string) string { return hostIn(target, formRules) }

func hostIn(target string, rules []hostRule) string {
	u, err := url.Parse(target)
	if err != nil || u.Host == "" {
		return ""
	}
	host := strings.TrimPrefix(strings.ToLower(u.Hostname()), "www.")
	path := strings.ToLower(u.EscapedPath())
	for _, r := range rules {
		if matchesHost(host, r.host) && (r.below == "" || strings.HasPrefix(path, "/"+r.below)) {
			return r.name
		}
	}
	return ""
}

// matchesHost reports whether host is want or a subdomain of it. "hotcrp.*" matches any host with a label
// hotcrp that is not the last one.
func matchesHost(host, want string) bool {
	if label, ok := strings.CutSuffix(want, ".*"); ok {
		return strings.HasPrefix(host, label+".") || strings.Contains(host, "."+label+".")
	}
	above, ok := strings.CutSuffix(host, want)
	return ok && (above == "" || strings.HasSuffix(above, "."))
}
