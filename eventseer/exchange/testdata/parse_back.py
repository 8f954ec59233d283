"""Parses calendars and feeds back by the libraries of Debian; prints what they hold as JSON."""
import json
import sys

import feedparser
import icalendar


def calendar(path):
    with open(path, "rb") as f:
        cal = icalendar.Calendar.from_ical(f.read())
    rows = []
    for part in cal.walk():
        if part.name not in ("VEVENT", "VTODO"):
            continue
        errors = [str(e) for e in part.errors]
        start = part.get("DTSTART") or part.get("DUE")
        rows.append({
            "kind": part.name,
            "uid": str(part["UID"]),
            "start": start.dt.isoformat(),
            "end": part["DTEND"].dt.isoformat() if "DTEND" in part else "",
            "sequence": int(part["SEQUENCE"]),
            "status": str(part["STATUS"]),
            "summary": str(part["SUMMARY"]),
            "alarms": [str(a["TRIGGER"].dt) for a in part.walk("VALARM")],
            "errors": errors,
        })
    return {"name": str(cal["X-WR-CALNAME"]), "parts": rows}


def feed(path):
    with open(path, "rb") as f:
        d = feedparser.parse(f.read())
    return {
        "bozo": bool(d.bozo),
        "why": str(d.get("bozo_exception", "")),
        "version": d.version,
        "title": d.feed.get("title", ""),
        "links": [[x.get("rel", ""), x.get("href", "")] for x in d.feed.get("links", [])],
        "items": [{"id": e.get("id", ""), "title": e.get("title", ""), "summary": e.get("summary", ""), "updated": e.get("updated", e.get("published", ""))} for e in d.entries],
    }


json.dump({path: (calendar if path.endswith(".ics") else feed)(path) for path in sys.argv[1:]}, sys.stdout)
