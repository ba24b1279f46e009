/** Buttons of the built-in client. */
export const web = `
.acts{gap:.25rem .5rem;margin-left:-.5rem}
.acts form{margin:0}
.act,button.act{display:inline-flex;align-items:center;gap:.25rem;min-height:2rem;padding:.2rem .6rem;border:0;border-radius:2rem;background:transparent;color:var(--soft);font:inherit;font-size:var(--small);text-decoration:none;cursor:pointer}
.act:hover{background:var(--brand-soft);color:var(--brand)}
button.act[aria-pressed=true]{background:var(--brand-soft);color:var(--brand);font-weight:600}
.vote{margin:.75rem 0 0}
.vote .check{margin:.35rem 0;min-height:1.75rem;align-items:center}
form.card fieldset{min-width:0}
form.card input[type=file]{max-width:100%}
form.card details{margin:1rem 0 0}
form.card summary{cursor:pointer;min-height:1.75rem;color:var(--brand)}
#news button{width:100%;margin:0 0 1rem}
.acts .fault,#connect .fault{flex-basis:100%;margin:.25rem 0 0}
.tabs .mark[hidden],.count[hidden]{display:none}
`;
