// Tells the server the time zone of this computer by a cookie, once, and shows it on the page
// that came without; then counts down to the deadlines. Suggests calls and fields while one types.
// Pages do without this script too.
"use strict";
(() => {
	const zone = Intl.DateTimeFormat().resolvedOptions().timeZone, kept = (document.cookie.match(/(?:^|; )tz=([^;]*)/) || [])[1];
	if (zone && (kept === undefined || kept[0] === "~" && kept !== "~" + zone)) {
		document.cookie = "tz=~" + zone + "; path=/; max-age=31536000; samesite=lax" + (location.protocol === "https:" ? "; secure" : "");
		const city = zone.slice(zone.lastIndexOf("/") + 1).replace(/_/g, " ");
		const format = new Intl.DateTimeFormat("en-US", {weekday: "short", day: "numeric", month: "short", year: "numeric", hour: "2-digit", minute: "2-digit", hourCycle: "h23"});
		for (const here of document.querySelectorAll("time[datetime$=Z] + span:not([class])")) {
			const printed = here.previousElementSibling, of = printed.textContent, p = {};
			for (const {type, value} of format.formatToParts(new Date(printed.dateTime))) p[type] = value;
			const day = `${p.weekday} ${p.day} ${p.month}`, clock = `${p.hour}:${p.minute}`, full = `${day} ${p.year}`;
			here.textContent = of.includes(full) && of.includes(clock) ? "" : ` = ${of.includes(p.year) ? day : full} ${clock} ${city}`;
		}
		for (const name of document.querySelectorAll(".zone")) name.textContent = city;
	}
	const count = () => {
		for (const left of document.querySelectorAll("time ~ .in")) {
			const text = left.parentElement.querySelector("time").dateTime, now = new Date();
			let days = Math.round((Date.parse(text) - Date.UTC(now.getFullYear(), now.getMonth(), now.getDate())) / 864e5), said = "";
			if (text.endsWith("Z")) {
				const hours = Math.floor((Date.parse(text) - now) / 36e5);
				days = Math.floor(hours / 24);
				if (hours >= -48 && hours < 48) said = hours < 0 ? "just past" : hours < 1 ? "within the hour" : hours < 2 ? "in 1 hour" : `in ${hours} hours`;
			}
			if (!said && days >= 0 && days < 100) said = days === 0 ? "today" : days === 1 ? "tomorrow" : `in ${days} days`;
			if (said) left.textContent = said;
		}
	};
	setInterval(count, 60000);
	const suggest = (box) => {
		const list = document.createElement("ul"), said = document.createElement("p");
		let found = [], at = -1, timer, running;
		list.id = "suggestions";
		list.hidden = true;
		said.className = "heard";
		const set = (element, values) => { for (const name in values) element.setAttribute(name, values[name]); };
		set(list, {role: "listbox", "aria-label": "Suggestions"});
		set(said, {role: "status"});
		set(box, {role: "combobox", "aria-autocomplete": "list", "aria-expanded": "false", "aria-controls": "suggestions"});
		box.after(list);
		list.parentElement.append(said);
		const mark = (to) => {
			at = to;
			[...list.children].forEach((option, i) => set(option, {"aria-selected": i === at}));
			if (at < 0) box.removeAttribute("aria-activedescendant");
			else box.setAttribute("aria-activedescendant", list.children[at].id);
		};
		const show = (suggestions) => {
			found = suggestions;
			list.replaceChildren(...found.map(({text, title}, i) => {
				const option = document.createElement("li"), name = document.createElement("bdi"), more = document.createElement("small");
				set(option, {role: "option", id: "suggestion-" + i});
				name.textContent = text;
				more.textContent = title || "";
				option.append(name, " ", more);
				option.onclick = () => go(i);
				return option;
			}));
			list.hidden = !found.length;
			set(box, {"aria-expanded": !list.hidden});
			said.textContent = found.length ? `${found.length} suggestion${found.length > 1 ? "s" : ""}, by the arrow keys` : "";
			mark(-1);
		};
		const stop = () => {
			clearTimeout(timer);
			running?.abort();
		};
		const close = () => {
			stop();
			show([]);
		};
		const go = (i) => {
			const to = new URL(found[i].url, location.origin);
			if (to.origin === location.origin) location.assign(to);
		};
		box.addEventListener("input", () => {
			stop();
			const typed = box.value.trim();
			if (typed.length < 2 || typed.length > 60) return close();
			timer = setTimeout(async () => {
				running = new AbortController();
				try {
					const answer = await fetch(box.dataset.suggest + "?limit=8&q=" + encodeURIComponent(typed), {signal: running.signal});
					if (answer.ok && box === document.activeElement) show((await answer.json()).suggestions);
				} catch {} // the next letter asks again
			}, 150);
		});
		box.addEventListener("keydown", (e) => {
			if (list.hidden) return;
			const n = found.length, step = {ArrowDown: 1, ArrowUp: -1}[e.key];
			if (step) mark((at + 1 + step + n + 1) % (n + 1) - 1); // after the last one the box itself
			else if (e.key === "Escape") close();
			else return;
			e.preventDefault();
		});
		box.form.addEventListener("submit", (e) => {
			if (at < 0) return;
			e.preventDefault();
			go(at);
		});
		box.addEventListener("blur", close);
		list.onmousedown = (e) => e.preventDefault(); // the box keeps the focus
	};
	document.querySelectorAll("[data-suggest]").forEach(suggest);
	document.addEventListener("keydown", (e) => {
		if (e.ctrlKey || e.metaKey || e.altKey || e.target.closest("input, textarea, select")) return;
		const calls = [...document.querySelectorAll(".call h2 a")], at = calls.findIndex((a) => a.closest(".call").contains(document.activeElement)), search = document.getElementById("q");
		const to = e.key === "?" ? document.querySelector(".options summary") : e.key === "/" ? search : e.key === "j" ? calls[at + 1] : e.key === "k" ? calls[Math.max(0, at - 1)] : null;
		if (e.key === "o" && at >= 0) calls[at].click();
		if (e.key === "s") (at < 0 ? document.querySelector("article .star") : calls[at].closest(".call").querySelector(".star"))?.click();
		const tips = e.key === "?" && document.querySelector(".options details");
		if (tips) tips.open = true;
		if (!to) return;
		e.preventDefault();
		to.focus();
	});
})();
