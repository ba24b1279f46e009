/** Posts, their media, polls and cards, and the header of a profile. */
export const posts = `
.feed{list-style:none;margin:0;padding:0;background:var(--card);border:1px solid var(--line);border-radius:var(--radius);overflow:hidden}
.feed>li+li{border-top:1px solid var(--line)}
.post{padding:1rem 1.25rem}
.post.focused{background:var(--card);border:1px solid var(--line);border-radius:var(--radius);box-shadow:var(--shadow);margin:1rem 0;font-size:1.1rem}
.post .above{margin:0 0 .5rem;font-size:var(--small);color:var(--soft)}
.post header,.person{display:flex;gap:.75rem;align-items:center;min-width:0}
.post header .author,.person .author{display:flex;gap:.75rem;align-items:center;min-width:0;flex:1;color:inherit;text-decoration:none}
.author img,.person img{width:3rem;height:3rem;border-radius:.75rem;object-fit:cover;background:var(--line);flex:none}
.author span.who{min-width:0;display:block}
.who strong,.who .acct{display:block;overflow:hidden;text-overflow:ellipsis;white-space:nowrap}
.who .acct{color:var(--soft);font-size:var(--small)}
.author:hover strong{text-decoration:underline}
.when{color:var(--soft);font-size:var(--small);text-decoration:none;flex:none;padding:.25rem 0}
.when:hover{text-decoration:underline}
.content{margin:.6rem 0 0;overflow-wrap:anywhere}
.content p{margin:.5rem 0}
.content p:first-child{margin-top:0}
.content blockquote{margin:.5rem 0;padding-left:.75rem;border-left:3px solid var(--line)}
.content .invisible{font-size:0;line-height:0;display:inline-block;width:0;height:0;position:absolute}
.content .ellipsis::after{content:"…"}
.emoji{width:1.25em;height:1.25em;object-fit:contain;vertical-align:-.25em}
.post details{margin:.6rem 0 0}
.post summary{cursor:pointer;padding:.5rem .75rem;border-radius:.5rem;background:var(--ground);min-height:1.5rem}
.filtered>summary{color:var(--soft)}
.filtered[open]>summary{margin-bottom:.75rem}
.media{display:grid;grid-template-columns:repeat(auto-fit,minmax(11rem,1fr));gap:.35rem;margin:.75rem 0 0;border-radius:var(--radius);overflow:hidden}
.media figure{margin:0;background:var(--line);min-height:4rem}
.media img,.media video{display:block;width:100%;height:100%;max-height:24rem;object-fit:cover}
.media audio{display:block;width:100%;padding:.75rem}
.poll{list-style:none;margin:.75rem 0 0;padding:0}
.poll li{position:relative;margin:.35rem 0;padding:.45rem .75rem;border-radius:.5rem;background:var(--ground);display:flex;gap:.75rem}
.poll meter{flex:1;height:.6rem;align-self:center;min-width:3rem}
.poll .share{font-variant-numeric:tabular-nums;font-weight:600;min-width:3.2rem}
.preview{display:flex;gap:.9rem;margin:.75rem 0 0;border:1px solid var(--line);border-radius:var(--radius);overflow:hidden;color:inherit;text-decoration:none}
.preview img{width:7rem;object-fit:cover;background:var(--line);flex:none}
.preview span{display:block;padding:.6rem .75rem .6rem 0;min-width:0}
.preview:not(:has(img)) span{padding-left:.75rem}
.preview strong{display:block;overflow-wrap:anywhere}
.quoted{margin:.75rem 0 0;border:1px solid var(--line);border-radius:var(--radius)}
.quoted .author img{width:2rem;height:2rem;border-radius:.5rem}
.post footer{display:flex;flex-wrap:wrap;gap:.25rem 1.25rem;margin:.75rem 0 0;color:var(--soft);font-size:var(--small)}
.post footer a{color:inherit;display:inline-flex;align-items:center;min-height:1.5rem;min-width:1.5rem}
.pager a{display:inline-flex;align-items:center;min-height:1.5rem}
.pager{display:flex;justify-content:space-between;gap:1rem;margin:1rem 0}
.profile{padding:0;overflow:hidden}
.profile .banner{display:block;width:100%;height:11rem;object-fit:cover;background:var(--brand-soft)}
.profile .about{padding:0 1.25rem 1rem}
.profile .portrait{width:6rem;height:6rem;border-radius:1.25rem;border:4px solid var(--card);margin-top:-3rem;background:var(--card);object-fit:cover}
.profile h1{margin:.5rem 0 0}
.profile .acct{color:var(--soft);margin:.1rem 0 .75rem;user-select:all}
.profile dl{margin:1rem 0 0;border:1px solid var(--line);border-radius:.6rem;overflow:hidden}
.profile dl>div{display:grid;grid-template-columns:minmax(6rem,11rem) 1fr}
.profile dl>div+div{border-top:1px solid var(--line)}
.profile dt,.profile dd{margin:0;padding:.5rem .75rem;overflow-wrap:anywhere}
.profile dt{background:var(--ground);color:var(--soft);font-size:var(--small)}
.profile .verified dd{background:var(--good-soft)}
.verified .tick{color:var(--good);font-weight:700}
.counts{display:flex;flex-wrap:wrap;gap:.35rem 1.5rem;list-style:none;margin:1rem 0 0;padding:0}
.counts a{color:inherit;text-decoration:none;padding:.25rem 0}
.counts strong{font-variant-numeric:tabular-nums}
.tabs{display:flex;gap:.25rem;margin:0 0 1rem;border-bottom:1px solid var(--line);overflow-x:auto}
.tabs a{padding:.6rem .9rem;color:var(--soft);text-decoration:none;border-bottom:3px solid transparent;white-space:nowrap}
.tabs a[aria-current]{color:var(--ink);font-weight:600;border-color:var(--brand)}
.people{list-style:none;margin:0;padding:0;background:var(--card);border:1px solid var(--line);border-radius:var(--radius)}
.people>li{padding:.75rem 1.25rem}
.people>li+li{border-top:1px solid var(--line)}
.featured{margin:0 0 1.5rem}
.person{flex-wrap:wrap}
.person .author{flex:1 1 11rem}
.person form{margin:0}
.person .note{color:var(--soft);font-size:var(--small)}
.tags{display:flex;flex-wrap:wrap;gap:.4rem;list-style:none;margin:0;padding:0}
.tags a{display:inline-block;padding:.3rem .75rem;border-radius:2rem;background:var(--brand-soft);text-decoration:none}
.numbers{display:grid;grid-template-columns:repeat(auto-fit,minmax(8rem,1fr));gap:.75rem;list-style:none;margin:1rem 0;padding:0}
.numbers li{background:var(--card);border:1px solid var(--line);border-radius:var(--radius);padding:.75rem 1rem;color:var(--soft);font-size:var(--small)}
.numbers strong{display:block;font-size:1.4rem;color:var(--ink);font-variant-numeric:tabular-nums}
.embedded main{margin:0;padding:0;max-width:none}
.embedded .post{border:0;box-shadow:none;margin:0}
@media (max-width:30rem){.post,.people>li{padding:.9rem 1rem}.profile .banner{height:8rem}}
`;
