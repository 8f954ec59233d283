// Proposes the time zone of this computer on the page where readers choose theirs.
(() => {
	const select = document.getElementById("tz"), other = document.getElementById("other");
	if (!select || !other || other.value || select.value !== "UTC") return;
	const here = Intl.DateTimeFormat().resolvedOptions().timeZone;
	if (!here) return;
	if ([...select.options].some((o) => o.value === here)) select.value = here;
	else other.value = here;
})();
