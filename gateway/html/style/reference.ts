/** The reference of the API. */
export const reference = `
.operation{padding-bottom:.5rem}
.operation h2{font:600 1rem/1.4 ui-monospace,monospace;overflow-wrap:anywhere}
.operation h3{font-size:.95rem;margin:1rem 0 .25rem}
.operation:target{border-color:var(--brand)}
.data{font:.875rem/1.5 ui-monospace,monospace;margin:1rem 0}
.ways{list-style:none;margin:0;padding:0;display:flex;flex-wrap:wrap;gap:0 1.5rem}
.ways a{display:inline-flex;align-items:center;min-height:2rem}
.fields{list-style:none;margin:0;padding:0}
.fields>li{padding:.35rem 0;border-top:1px solid var(--line);overflow-wrap:anywhere}
.fields code{font-weight:600}
.areas{list-style:none;margin:0;padding:0;display:grid;grid-template-columns:repeat(auto-fill,minmax(min(16rem,100%),1fr));gap:.25rem 1rem}
.areas a{display:inline-flex;align-items:center;min-height:2rem}
`;
