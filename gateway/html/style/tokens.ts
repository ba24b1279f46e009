/**
 * Tokens of the design: colours with their meaning, space in steps of a quarter rem, sizes of type. Contrast: text at least
 * 4.5:1 on both grounds, borders of fields (`--edge`) at least 3:1 (WCAG 1.4.3, 1.4.11).
 */
export const tokens = `
:root{color-scheme:light dark;
--ground:#f5f6f9;--card:#fff;--ink:#191d26;--soft:#525b6b;--line:#e0e4eb;--edge:#757e8f;
--brand:#3d4fb8;--brand-soft:#e8ebfa;--on-brand:#fff;--danger:#a82222;--danger-soft:#fdecec;--good:#1c6b3f;--good-soft:#e5f5ec;
--radius:.75rem;--small:.875rem;--shadow:0 1px 2px rgb(20 25 40/.06),0 4px 16px rgb(20 25 40/.05)}
@media (prefers-color-scheme:dark){:root{
--ground:#10131a;--card:#191e28;--ink:#edf0f5;--soft:#a7b0c0;--line:#2b3240;--edge:#7d889b;
--brand:#a3b3ff;--brand-soft:#252d4d;--on-brand:#10152b;--danger:#ff9d9d;--danger-soft:#3a2023;--good:#86dba9;--good-soft:#17301f;
--shadow:none}}
`;
