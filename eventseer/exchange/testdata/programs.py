"""Opens a calendar in three programs of Debian and prints where each shows each entry, as JSON.

programs.py FILE.ics ADDRESS ZONE...   ADDRESS is that of an empty CalDAV server on this machine.

Of each program and time zone: the identifiers of the entries with the day that they are shown on,
the last day of entries that have an end.
"""
import datetime
import json
import os
import pathlib
import subprocess
import sys
import zoneinfo

import caldav
import icalendar


def shown(event, zone):
    """The day of an entry on a clock of a zone: that of its end, or of its start if it has none."""
    when = (event.get("DTEND") or event["DTSTART"]).dt
    if not isinstance(when, datetime.datetime):
        if "DTEND" in event:
            raise ValueError(f"{event['UID']}: a day with an end")
        return when.isoformat()
    return when.astimezone(zoneinfo.ZoneInfo(zone)).date().isoformat()


def by_library(calendars, zone):
    return {str(e["UID"]): shown(e, zone) for c in calendars for e in c.walk("VEVENT")}


def single(calendar):
    """The calendar's entries, each in a calendar of its own, as files and servers keep them."""
    for event in calendar.walk("VEVENT"):
        one = icalendar.Calendar()
        one.add("prodid", "-//test//EN")
        one.add("version", "2.0")
        one.add_component(event)
        yield str(event["UID"]), one.to_ical()


def by_server(entries, address):
    """What a CalDAV client reads back from a server that was given the entries."""
    calendar = caldav.DAVClient(url=address, username="ann", password="x").principal().make_calendar(name="calls")
    for uid, text in entries:
        calendar.save_event(text.decode())
    return [icalendar.Calendar.from_ical(e.data) for e in calendar.events()]


def by_khal(entries, zone):
    folder = pathlib.Path(f"khal-{zone.replace('/', '-')}")
    (folder / "calls").mkdir(parents=True)
    for i, (uid, text) in enumerate(entries):
        (folder / "calls" / f"{i}.ics").write_bytes(text)
    config = folder / "config"
    config.write_text(
        f"[calendars]\n[[calls]]\npath = {folder.absolute() / 'calls'}\n"
        f"[sqlite]\npath = {folder.absolute() / 'khal.db'}\n"
        f"[locale]\nlocal_timezone = {zone}\ndefault_timezone = {zone}\n"
        "dateformat = %Y-%m-%d\nlongdateformat = %Y-%m-%d\ntimeformat = %H:%M\ndatetimeformat = %Y-%m-%d %H:%M\nlongdatetimeformat = %Y-%m-%d %H:%M\n"
    )
    # A day of its own stands in the form of the heading, so that each line says the day it is listed on.
    out = subprocess.run(
        ["khal", "-c", str(config), "list", "--day-format", "DAY {date-long}", "--format", "UID {uid}", "2020-01-01", "6000d"],
        check=True, capture_output=True, text=True, env={**os.environ, "LC_ALL": "C.UTF-8", "TZ": zone, "HOME": str(folder.absolute())},
    ).stdout
    days, day = {}, ""
    for line in out.splitlines():
        kind, _, value = line.strip().partition(" ")
        if kind == "DAY":
            day = value
        elif kind == "UID":
            days[value] = day  # the last day, where an entry goes over midnight
    return days


def main():
    file, address, zones = sys.argv[1], sys.argv[2], sys.argv[3:]
    calendar = icalendar.Calendar.from_ical(pathlib.Path(file).read_bytes())
    entries = list(single(calendar))
    served = by_server(entries, address)
    json.dump({zone: {"icalendar": by_library([calendar], zone), "caldav": by_library(served, zone), "khal": by_khal(entries, zone)} for zone in zones}, sys.stdout)


main()
