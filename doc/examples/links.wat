WARC/1.0
WARC-Type: metadata
WARC-Target-URI: https://list.example/calls
WARC-Record-ID: <urn:uuid:00000000-0000-4000-8000-000000000001>
WARC-Date: 2026-11-02T10:00:00Z
Content-Type: application/json
Content-Length: 496

{"Envelope": {"WARC-Header-Metadata": {"WARC-Type": "response", "WARC-Target-URI": "https://list.example/calls", "WARC-Date": "2026-11-02T10:00:00Z"}, "Payload-Metadata": {"HTTP-Response-Metadata": {"Response-Message": {"Status": "200"}, "HTML-Metadata": {"Links": [{"path": "A@/href", "url": "https://conf.example/2027/cfp", "text": "CONF 2027, call for papers"}, {"path": "A@/href", "url": "/about", "text": "About this list"}, {"path": "IMG@/src", "url": "https://conf.example/logo.png"}]}}}}}

WARC/1.0
WARC-Type: metadata
WARC-Target-URI: https://people.example/ann/
WARC-Record-ID: <urn:uuid:00000000-0000-4000-8000-000000000002>
WARC-Date: 2026-11-02T10:00:00Z
Content-Type: application/json
Content-Length: 471

{"Envelope": {"WARC-Header-Metadata": {"WARC-Type": "response", "WARC-Target-URI": "https://people.example/ann/", "WARC-Date": "2026-11-02T10:00:00Z"}, "Payload-Metadata": {"HTTP-Response-Metadata": {"Response-Message": {"Status": "200"}, "HTML-Metadata": {"Links": [{"path": "A@/href", "url": "2027/cfp", "text": "I review for CONF"}, {"path": "A@/href", "url": "https://conf.example/2027/committee", "text": "committee"}], "Head": {"Base": "https://conf.example/"}}}}}}

WARC/1.0
WARC-Type: metadata
WARC-Target-URI: https://conf.example/2027/
WARC-Record-ID: <urn:uuid:00000000-0000-4000-8000-000000000003>
WARC-Date: 2026-11-02T10:00:00Z
Content-Type: application/json
Content-Length: 321

{"Envelope": {"WARC-Header-Metadata": {"WARC-Type": "response", "WARC-Target-URI": "https://conf.example/2027/", "WARC-Date": "2026-11-02T10:00:00Z"}, "Payload-Metadata": {"HTTP-Response-Metadata": {"Response-Message": {"Status": "200"}, "HTML-Metadata": {"Links": [{"path": "A@/href", "url": "cfp", "text": "Call"}]}}}}}

