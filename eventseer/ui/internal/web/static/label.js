// Presses the button of a key, and keeps the first of the two answers without
// loading the page anew. The page does all of it without this script too, by
// access keys and plain forms.
"use strict";
(() => {
	const form = document.querySelector("#label");
	const keys = document.querySelector("#keys");
	if (!form || !keys) return;

	// Single keys can be switched off: some people type by voice.
	const box = keys.querySelector("input");
	keys.hidden = false;
	box.checked = localStorage.getItem("label-keys") !== "off";
	box.addEventListener("change", () => localStorage.setItem("label-keys", box.checked ? "on" : "off"));
	document.addEventListener("keydown", (event) => {
		if (!box.checked || event.repeat || event.ctrlKey || event.altKey || event.metaKey) return;
		const control = document.querySelector(`[aria-keyshortcuts="${CSS.escape(event.key.toLowerCase())}"]`);
		if (!control) return;
		event.preventDefault();
		control.click();
	});

	form.addEventListener("submit", (event) => {
		const [field, value] = event.submitter.value.split("=");
		const other = { call: form.elements.type, type: form.elements.call }[field];
		if (!other || other.value) return; // nothing is open: the server saves
		event.preventDefault();
		form.elements[field].value = value;
		for (const button of document.querySelectorAll(`button[value^="${field}="]`)) {
			button.setAttribute("aria-pressed", button === event.submitter);
		}
		const next = document.querySelector("#next");
		next.textContent = next.dataset[field];
	});
})();
