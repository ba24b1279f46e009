/** Style of the page: light or dark as the reader's system, one column on a telephone. */
export const style = `
:root { color-scheme: light dark; --page: #f6f7f9; --card: #fff; --text: #1b2330; --soft: #5b6675; --rule: #e3e7ec;
  --c0: #2f6fde; --c1: #d9730d; --c2: #12876a; --c3: #a14bc4; --c4: #b8860b; --c5: #d1416b; --c6: #1691a8; --c7: #6b7280; --c8: #6c8a1e; --c9: #8d5a3b;
  --good: #2f6fde; --shed: #e0a100; --bad: #d3333f; --fine: #12876a; }
@media (prefers-color-scheme: dark) { :root { --page: #11151c; --card: #1a202a; --text: #e7ebf1; --soft: #9aa7b8; --rule: #2b3442;
  --c0: #6ea3ff; --c1: #f3a15c; --c2: #4fc9a4; --c3: #ce8bea; --c4: #dcb64a; --c5: #f283a4; --c6: #5cc5d9; --c7: #a3adba; --c8: #a9c95a; --c9: #c99a7c;
  --good: #6ea3ff; --shed: #f0c04a; --bad: #ff7b81; --fine: #4fc9a4; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--text); font: 15px/1.5 system-ui, sans-serif; }
main { max-width: 1080px; margin: 0 auto; padding: 24px 16px 48px; }
h1 { font-size: 1.5rem; line-height: 1.25; margin: 0 0 4px; overflow-wrap: anywhere; }
h2 { font-size: 1.1rem; margin: 32px 0 12px; }
h3 { font-size: 0.95rem; margin: 0 0 6px; display: flex; justify-content: space-between; gap: 8px; flex-wrap: wrap; }
h3 span { color: var(--soft); font-weight: 400; }
p { margin: 0 0 8px; color: var(--soft); }
.card { background: var(--card); border: 1px solid var(--rule); border-radius: 12px; padding: 16px; }
.cards { display: grid; gap: 12px; grid-template-columns: repeat(auto-fit, minmax(140px, 1fr)); }
.pair { display: grid; gap: 12px; grid-template-columns: repeat(auto-fit, minmax(min(100%, 460px), 1fr)); }
.three { display: grid; gap: 12px; grid-template-columns: repeat(auto-fill, minmax(min(100%, 320px), 1fr)); }
.figure { font-size: 1.6rem; font-weight: 650; line-height: 1.2; font-variant-numeric: tabular-nums; }
.card .what { color: var(--soft); font-size: 0.85rem; }
.pass, .fail { display: inline-block; border-radius: 999px; padding: 2px 12px; font-weight: 650; color: var(--card); }
.pass { background: var(--fine); } .fail { background: var(--bad); }
.isbad .figure { color: var(--bad); } .isfine .figure { color: var(--fine); }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th, td { text-align: right; padding: 6px 10px; border-bottom: 1px solid var(--rule); white-space: nowrap; }
th { color: var(--soft); font-weight: 500; font-size: 0.85rem; }
th:first-child, td:first-child { text-align: left; padding-left: 0; } th:last-child, td:last-child { padding-right: 0; }
tr:last-child td { border-bottom: 0; }
td.long { white-space: normal; text-align: left; overflow-wrap: anywhere; min-width: 12em; }
td.kept { color: var(--fine); } td.broken { color: var(--bad); font-weight: 650; }
.legend { display: flex; flex-wrap: wrap; gap: 2px 14px; font-size: 0.85rem; color: var(--soft); margin-bottom: 6px; }
.legend i { display: inline-block; width: 14px; height: 3px; border-radius: 2px; margin-right: 6px; vertical-align: middle; background: var(--of); }
svg { display: block; width: 100%; height: auto; }
svg text { font: 11px system-ui, sans-serif; fill: var(--soft); }
svg .grid { stroke: var(--rule); stroke-width: 1; } svg .axis { stroke: var(--soft); stroke-width: 1; }
svg .line { fill: none; stroke: var(--of); stroke-width: 1.8; stroke-linejoin: round; stroke-linecap: round; }
svg .area { fill: var(--of); fill-opacity: 0.28; } svg .bar { fill: var(--of); fill-opacity: 0.75; }
svg .area.shed, svg .area.errors { fill-opacity: 0.85; }
svg .mark { stroke: var(--text); stroke-width: 1; stroke-dasharray: 3 3; } svg .marked { fill: var(--text); }
svg .point { fill: transparent; } svg .point:hover { fill: var(--soft); fill-opacity: 0.15; }
.good { --of: var(--good); } .shed { --of: var(--shed); } .errors { --of: var(--bad); }
.p50 { --of: var(--c2); } .p90 { --of: var(--c4); } .p99 { --of: var(--c5); }
${Array.from({ length: 10 }, (_, index) => `.c${index} { --of: var(--c${index}); }`).join(' ')}
.narrow { display: none; }
@media (max-width: 640px) { .narrow { display: block; } .wide { display: none; } .card { padding: 12px; } }
.errorbar { display: block; height: 8px; border-radius: 4px; background: var(--bad); min-width: 2px; }
details { margin-top: 24px; } summary { cursor: pointer; color: var(--soft); }
pre { overflow-x: auto; font-size: 0.8rem; }
@media print { .card { break-inside: avoid; } }
`;
