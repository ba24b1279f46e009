/** Stylesheet of the sign-in pages: system fonts, light and dark, one column. */
export const STYLE = `
:root{color-scheme:light dark;--ground:#f4f5f7;--card:#fff;--ink:#1b1f27;--soft:#5a6372;--line:#d5dae2;--brand:#3a5bc7;--on:#fff;--warn:#9a3412;--warn-ground:#fff3e8}
@media (prefers-color-scheme:dark){:root{--ground:#12151b;--card:#1b2029;--ink:#eceff4;--soft:#a3adbd;--line:#343c4a;--brand:#8aa4ff;--on:#0d1220;--warn:#fdba74;--warn-ground:#33241a}}
*{box-sizing:border-box}
body{margin:0;min-height:100vh;display:grid;place-items:center;padding:1.5rem;background:var(--ground);color:var(--ink);font:16px/1.5 system-ui,sans-serif}
main{width:100%;max-width:27rem;background:var(--card);border:1px solid var(--line);border-radius:.9rem;padding:2rem}
.site{margin:0 0 1.25rem;color:var(--soft);font-size:.9rem}
h1{font-size:1.4rem;line-height:1.25;margin:0 0 1rem;overflow-wrap:anywhere}
p{margin:.5rem 0 1rem;overflow-wrap:anywhere}
label{display:block;font-weight:600;margin:1rem 0 .3rem}
input:not([type=hidden]){width:100%;padding:.65rem .75rem;font:inherit;color:inherit;background:transparent;border:1px solid var(--line);border-radius:.5rem}
:focus-visible{outline:3px solid var(--brand);outline-offset:2px}
button{width:100%;margin-top:1rem;padding:.7rem 1rem;font:inherit;font-weight:600;border:1px solid var(--brand);border-radius:.5rem;background:var(--brand);color:var(--on);cursor:pointer}
button.plain{background:transparent;color:var(--brand)}
a{color:var(--brand)}
.fault{padding:.7rem .9rem;border-radius:.5rem;background:var(--warn-ground);color:var(--warn)}
ul{list-style:none;margin:0 0 1rem;padding:0;border:1px solid var(--line);border-radius:.6rem}
li{padding:.65rem .9rem}
li+li{border-top:1px solid var(--line)}
li code{font-size:.85rem;color:var(--soft);overflow-wrap:anywhere}
.group{display:flex;flex-wrap:wrap;align-items:center;gap:.1rem .6rem;margin:0}
.mark{padding:.05rem .55rem;border-radius:1rem;background:var(--warn-ground);color:var(--warn);font-size:.8rem}
li p{margin:.1rem 0}
.next{color:var(--soft);font-size:.9rem;margin:0}
button.quiet{border-color:transparent;background:transparent;color:var(--brand);margin-top:.5rem}
button.quiet:hover{text-decoration:underline}
code.out{display:block;padding:.9rem;border:1px solid var(--line);border-radius:.5rem;user-select:all;overflow-wrap:anywhere}
`;
