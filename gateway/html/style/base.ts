/** The frame of each page, its widths, text, forms and buttons. */
export const base = `
*{box-sizing:border-box}
html{scroll-padding-top:4rem}
body{margin:0;min-height:100vh;display:flex;flex-direction:column;background:var(--ground);color:var(--ink);font:16px/1.55 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif}
a{color:var(--brand);text-underline-offset:.15em}
:focus-visible{outline:3px solid var(--brand);outline-offset:2px;border-radius:.25rem}
h1{font-size:1.5rem;line-height:1.25;margin:0 0 1rem;overflow-wrap:anywhere;letter-spacing:-.01em}
h2{font-size:1.15rem;line-height:1.3;margin:2rem 0 .75rem;overflow-wrap:anywhere}
p{margin:.5rem 0 1rem;overflow-wrap:anywhere}
main p>a:only-child:not(.button,.content *){display:inline-block;min-height:1.5rem}
pre{white-space:pre-wrap;overflow-wrap:anywhere}
img{max-width:100%}
.skip{position:absolute;left:-100vw;padding:.75rem 1rem;background:var(--card);z-index:2}
.skip:focus{left:1rem;top:.5rem}
.bar{background:var(--card);border-bottom:1px solid var(--line)}
.bar>div{max-width:64rem;margin:0 auto;padding:.5rem 1rem;display:flex;flex-wrap:wrap;align-items:center;gap:.25rem 1rem}
.bar nav{display:flex;flex-wrap:wrap;align-items:center;gap:.125rem;margin-left:auto}
.bar nav a{display:inline-flex;align-items:center;min-height:2.25rem;padding:.25rem .7rem;border-radius:2rem;color:var(--soft);text-decoration:none;font-size:.95rem}
.bar nav a:hover{background:var(--brand-soft);color:var(--brand)}
.bar nav a.call{background:var(--brand);color:var(--on-brand);font-weight:600}
.brand{display:inline-flex;align-items:center;gap:.6rem;min-height:2.25rem;color:var(--ink);font-weight:700;text-decoration:none;overflow-wrap:anywhere}
.brand img{border-radius:.5rem}
footer.bar{border:0;border-top:1px solid var(--line);margin-top:auto;font-size:var(--small);color:var(--soft)}
footer.bar nav{margin:0 auto 0 -.7rem}
main{width:100%;max-width:40rem;margin:1.5rem auto 3rem;padding:0 1rem}
main.form{max-width:27rem}
main.wide{max-width:64rem}
main.form:not(.plain){background:var(--card);border:1px solid var(--line);border-radius:1rem;box-shadow:var(--shadow);padding:1.75rem}
.card{background:var(--card);border:1px solid var(--line);border-radius:var(--radius);padding:1rem 1.25rem;margin:0 0 1rem}
.card>h2:first-child{margin-top:0}
.soft{color:var(--soft)}
.small{font-size:var(--small)}
.notice{padding:.75rem 1rem;border-radius:.6rem;background:var(--brand-soft);margin:0 0 1rem}
.fault{padding:.75rem 1rem;border-radius:.6rem;background:var(--danger-soft);color:var(--danger)}
.done{padding:.75rem 1rem;border-radius:.6rem;background:var(--good-soft);color:var(--good)}
.mark{display:inline-block;padding:.05rem .6rem;border-radius:1rem;background:var(--brand-soft);color:var(--brand);font-size:.8rem;font-weight:600}
.mark.danger{background:var(--danger-soft);color:var(--danger)}
.visually-hidden{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
@media (max-width:30rem){main.form:not(.plain){border:0;border-radius:0;background:transparent;box-shadow:none;padding:0 1rem}}
@media (prefers-reduced-motion:no-preference){a,button{transition:background-color .12s,color .12s}}
`;
