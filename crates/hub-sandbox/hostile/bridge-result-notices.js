// abuse of the bridge
// ends: safe
return Array.from({ length: 1e4 }, () => [NaN, 1n, () => 1, new Map(), new Date(0), /x/, new Set()]);
