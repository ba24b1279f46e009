/** Labels, fields and buttons. Targets are at least 24 px high (WCAG 2.5.8). */
export const forms = `
label{display:block;font-weight:600;margin:1rem 0 .3rem}
.hint{display:block;color:var(--soft);font-size:var(--small);font-weight:400;margin:.2rem 0}
input:not([type=hidden],[type=checkbox],[type=radio],[type=file]),textarea,select{width:100%;min-height:2.75rem;padding:.6rem .75rem;font:inherit;color:inherit;background:var(--card);border:1px solid var(--edge);border-radius:.5rem}
textarea{min-height:6rem;resize:vertical}
input[type=checkbox],input[type=radio]{width:1.5rem;height:1.5rem;margin:0;accent-color:var(--brand);flex:none}
input[aria-invalid=true],textarea[aria-invalid=true]{border-color:var(--danger)}
.wrong{display:block;color:var(--danger);font-size:var(--small);margin:.3rem 0}
.check{display:flex;gap:.6rem;align-items:flex-start;font-weight:400}
fieldset{border:1px solid var(--line);border-radius:var(--radius);padding:.5rem 1rem 1rem;margin:1.5rem 0}
legend{font-weight:600;padding:0 .4rem}
button,.button{display:inline-block;min-height:2.5rem;padding:.55rem 1.1rem;font:inherit;font-weight:600;border:1px solid var(--brand);border-radius:.5rem;background:var(--brand);color:var(--on-brand);cursor:pointer;text-decoration:none}
main.form form>button,main.form form>p>button{width:100%;margin-top:1rem}
button.plain,.button.plain{background:transparent;color:var(--brand)}
button.danger{background:var(--danger);border-color:var(--danger);color:var(--card)}
button.plain.danger{background:transparent;color:var(--danger)}
button.quiet{border-color:transparent;background:transparent;color:var(--brand)}
button.link{min-height:1.75rem;padding:0 .2rem;border:0;background:none;color:var(--brand);font-weight:400;text-decoration:underline}
.tabs.wrapped{flex-wrap:wrap;overflow:visible}
.pills{display:flex;flex-wrap:wrap;gap:.4rem;margin:0 0 1rem}
.pills a{display:inline-flex;align-items:center;min-height:2rem;padding:.2rem .8rem;border-radius:2rem;background:var(--brand-soft);text-decoration:none;font-size:var(--small)}
.pills a[aria-current]{background:var(--brand);color:var(--on-brand);font-weight:600}
.pair{display:grid;grid-template-columns:1fr 2fr;gap:.75rem}
.picture{display:flex;gap:1rem;align-items:center}
.picture img{width:4rem;height:4rem;object-fit:cover;border-radius:.75rem;background:var(--line)}
input[type=file]{max-width:100%;min-width:0;min-height:2rem;font:inherit}
.actions{display:flex;flex-wrap:wrap;gap:.5rem;align-items:center;margin:1rem 0 0}
.actions form{margin:0}
ul.rows,main.form ul{list-style:none;margin:0 0 1rem;padding:0;border:1px solid var(--line);border-radius:var(--radius);background:var(--card)}
ul.rows>li,main.form ul>li{padding:.7rem 1rem}
ul.rows>li+li,main.form ul>li+li{border-top:1px solid var(--line)}
.group{display:flex;flex-wrap:wrap;align-items:center;gap:.1rem .6rem;margin:0}
.next{color:var(--soft);font-size:.9rem;margin:0}
li p{margin:.1rem 0}
li code{font-size:.85rem;color:var(--soft);overflow-wrap:anywhere}
code.out{display:block;padding:.9rem;border:1px solid var(--edge);border-radius:.5rem;user-select:all;overflow-wrap:anywhere}
table{width:100%;border-collapse:collapse;background:var(--card);border:1px solid var(--line);border-radius:var(--radius)}
.table{overflow-x:auto;margin:0 0 1rem}
th,td{text-align:start;padding:.6rem .8rem;border-bottom:1px solid var(--line);vertical-align:top;overflow-wrap:anywhere}
th{font-size:var(--small);color:var(--soft)}
td.number,th.number{text-align:end;font-variant-numeric:tabular-nums}
`;
