// SPDX-License-Identifier: Apache-2.0
// javascript.js - what scripts expect beside the language: console, timers, print
(({ write, sleep, now }) => {
	const quote = (value) => JSON.stringify(value);
	const names = (value) => Reflect.ownKeys(value).filter(
		(key) => Object.getOwnPropertyDescriptor(value, key).enumerable);

	const fields = (value, seen, depth) => names(value).map((key) => {
		const shown = typeof key === 'symbol' ? `[${String(key)}]`
			: /^[A-Za-z_$][\w$]*$/.test(key) ? key : quote(key);
		return `${shown}: ${inspect(value[key], seen, depth + 1)}`;
	});

	const wrap = (open, items, close) =>
		items.length === 0 ? open + close : `${open} ${items.join(', ')} ${close}`;

	function inspectObject(value, seen, depth) {
		if (value instanceof Error)
			return value.stack ? `${value}\n${value.stack.trimEnd()}` : String(value);
		if (value instanceof Date)
			return isNaN(value) ? 'Invalid Date' : value.toISOString();
		if (value instanceof RegExp)
			return String(value);
		if (seen.includes(value))
			return '[Circular]';
		if (depth > 3)
			return Array.isArray(value) ? '[Array]' : '[Object]';
		seen = [...seen, value];
		const show = (item) => inspect(item, seen, depth + 1);
		if (Array.isArray(value) || ArrayBuffer.isView(value) && !(value instanceof DataView)) {
			const items = Array.from(value).slice(0, 100).map(show);
			if (value.length > 100)
				items.push(`... ${value.length - 100} more`);
			const name = Array.isArray(value) ? '' : `${value.constructor.name}(${value.length}) `;
			return name + wrap('[', items, ']');
		}
		if (value instanceof Map)
			return `Map(${value.size}) ` +
				wrap('{', [...value].map(([k, v]) => `${show(k)} => ${show(v)}`), '}');
		if (value instanceof Set)
			return `Set(${value.size}) ` + wrap('{', [...value].map(show), '}');
		if (value instanceof Promise)
			return 'Promise {}';
		const kind = value.constructor?.name;
		const name = kind && kind !== 'Object' ? `${kind} ` : '';
		return name + wrap('{', fields(value, seen, depth), '}');
	}

	function inspect(value, seen, depth) {
		switch (typeof value) {
		case 'string': return quote(value);
		case 'bigint': return `${value}n`;
		case 'symbol': return String(value);
		case 'function': return `[Function: ${value.name || '(anonymous)'}]`;
		case 'object': return value === null ? 'null' : inspectObject(value, seen, depth);
		default: return Object.is(value, -0) ? '-0' : String(value);
		}
	}

	const line = (args) =>
		args.map((arg) => typeof arg === 'string' ? arg : inspect(arg, [], 0)).join(' ') + '\n';
	const out = (...args) => write(1, line(args));
	const err = (...args) => write(2, line(args));
	const assert = (holds, ...args) => {
		if (!holds)
			err('Assertion failed', ...args);
	};

	const timers = [];
	let last = 0;
	const start = (call, ms, args, every) => {
		const wait = Math.max(Number(ms) || 0, every ? 1 : 0);
		timers.push({ id: ++last, at: now() + wait, call, args, every: every ? wait : -1 });
		return last;
	};
	const stop = (id) => {
		const at = timers.findIndex((timer) => timer.id === id);
		if (at >= 0)
			timers.splice(at, 1);
	};
	// Runs the timer that is due first; false: there is none.
	const turn = () => {
		if (timers.length === 0)
			return false;
		const timer = timers.reduce((a, b) => b.at < a.at ? b : a);
		sleep(timer.at - now());
		if (timer.every >= 0)
			timer.at = now() + timer.every;
		else
			stop(timer.id);
		timer.call(...timer.args);
		return true;
	};

	const hide = (name, value) => Object.defineProperty(globalThis, name,
		{ value, writable: true, configurable: true, enumerable: false });
	hide('print', out);
	hide('console', { log: out, info: out, debug: out, error: err, warn: err, trace: err, assert });
	hide('setTimeout', (call, ms, ...args) => start(call, ms, args, false));
	hide('setInterval', (call, ms, ...args) => start(call, ms, args, true));
	hide('clearTimeout', stop);
	hide('clearInterval', stop);
	return turn;
})
