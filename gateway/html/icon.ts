/** The mark: a flock of starlings that turns together. */
export const ICON_SVG = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64"><rect width="64" height="64" rx="15" fill="#3d4fb8"/><g fill="#fff"><path d="M8 38q5-4 9 0q4-5 9-2q-6 0-9 5q-3-4-9-3z"/><path d="M19 27q5-4 9 0q4-5 9-2q-6 0-9 5q-3-4-9-3z" opacity=".95"/><path d="M32 18q5-4 9 0q4-5 9-2q-6 0-9 5q-3-4-9-3z" opacity=".9"/><path d="M33 33q5-4 9 0q4-5 9-2q-6 0-9 5q-3-4-9-3z" opacity=".85"/><path d="M23 44q5-4 9 0q4-5 9-2q-6 0-9 5q-3-4-9-3z" opacity=".8"/><path d="M41 46q4-3 7 0q3-4 7-1q-5 0-7 4q-2-4-7-3z" opacity=".7"/><path d="M14 51q4-3 7 0q3-4 7-1q-5 0-7 4q-2-4-7-3z" opacity=".6"/></g></svg>`;

/** The mark as PNG, 180 × 180, for home screens. */
export const ICON_PNG_BASE64 =
  'iVBORw0KGgoAAAANSUhEUgAAALQAAAC0CAMAAAAKE/YAAAACu1BMVEU9T7jFy+o+ULg/ULn29/z///+xuePY3PHi5fTs7vh+itC+xOc/UblAUr' +
  'lIWbxBUrlCU7pKW71SYsDU2O9VZMFDVbqrs+CosN+mrt6xuOJLXL3EyupebcSFkNJMXb7h5PSNl9WyueNQYL+ep9zBx+iHktN8iM+SnNe6wOas' +
  'tOGQmtZCVLqYodlEVbtXZsFFV7uutuG/xeiiq91OX75PYL9sesl1gcxTY8CXoNnCyOmwt+Jba8O9w+ekrd7Lz+yvt+K0u+NHWLyIk9OJlNRVZc' +
  'HBxuiUntjR1u6uteF0gcyqsuCTnddRYb97iM+hqt1ue8rQ1O5xfsuYotm4v+Xf4vNZacJbasPL0Oz09fulrt7Hzevk5vXq7PdldMfb3/KBjNGk' +
  'rN7T1+9aacNxf8uzuuPX2/HV2fDo6vdicMWLldRmdMdreclUZMC2veR4hM2fqNzg4/RiccaGkdPr7fibpdv+/v+jq91LW73O0u2ttOFGV7uWoN' +
  'lfbsXn6fZvfcqOmdZodsiRm9eVn9hdbMTp6/dreMnX2vBca8PEyent7/lNXb63veXh4/SAjNGCjtFwfcu3vuV6hs6DjtJpd8h2g82FkdJlc8Zq' +
  'eMihqdyRnNdzgMzd4PJ1gs1YaMLc3/L7/P7e4fN7h89/i9Bhb8Xn6vZkcsbGy+rJzutFVrvIzeuKldTv8flyf8v19vvW2vC1vOR3g814hc5YZ8' +
  'Kep9udptvDyOnP1O1tesq8wuZndcersuD9/v7a3vKIk9Tu7/lJWryLltX5+f2ao9rl6PapseC0u+SZo9q7wuagqdzAxuhufMrS1u9WZsG5v+X6' +
  '+v2bpNq7web8/P59ic+BjdFgb8XHzOrj5fVjcsbm6PbM0ezKz+zu8Pny8/rx8/pOXr7x8vqcpduAjNCnr9+5wOXO0+2Ej9Lt7vjN0e15hs6OTA' +
  '2GAAAACXBIWXMAAD2EAAA9hAHVrK90AAAGXklEQVR42u2b9XsaSRiAF0iQBZIQCNIAgSLRppHGG3dttJFGGre6u7u7u9vV/dprr96eu7v+GUdY' +
  'YTdt7gntU5h5nnl/YXYSwpvh25lvZDEMgUAgEAgEAoFAIBAIBAKBQCAQCAQCgUAgEG+Oj6+iyAcmYUmZOrdeJBLVNxf8OwySNs4QiByMiRoBgX' +
  'NProhNpxog7XkhFR1fT11XrTyc7qjkBk516AaId21oaCnyAsXYW3edEQIzosnq0FS6Um7aKQXrTsM72CHwcKFd0OsEVRE5CrSwXfmP6CUSZtpu' +
  'wUjy4vk3oClztzwUvQL5fh6fKAkzecB1Dxu7t3UpFArflhtH4rOPOawrjcRrNvB9nN/y4GPsFs/zhmEwGbI4gOFczoVk2P45mHaeBlG20SoknB' +
  'O5EEljK9vt/R5UeR2GRZfahu2hsCXQcQdEOHxp/9FEGCcrXAyBQCAQ7idpoXHWeXlKxP3RsBh7T2n2oBEUpsPgHHvIg8WyJXMAsvPaNze14oI6' +
  'YyVraqVhCr/3Z96TxZYboIzdUty/hlLbG0ivD0XPooXPirdnAZVp8PBGVgh0GogFAe0kqqbUegqwsN3Z4dGf74ps9eHfklcngFs7kj6o8XiZMZ' +
  'Mx/R2iWG8Bb86UJ1bnFGZYDLvSvp/KvOmKc4nC+CFgd2+S44HV/Vr8nUIY+uV5s39gOP8CyxxwnJh2/rEMnlxjwnwyNjbAlCEpBHbpMLjyOtlJ' +
  'm7MYtmx0jtyjMxq6HHroOiuEmb+v0++oOpOY0t4oN9daYfmOuLGRQpp1a1/A4Kw1C9lExoDUr8TG88XmxxNx1hpv5iSGb+7jsKb8mB3DQYmBjW' +
  'm0XcCmBfQ0ciwt3Bhh1YMVA73Z7BAY2UJM1J5SFXXFfqANk38I+3Nou60+NIi8SigDbgd08x3hKyiRSoKJ0t4QKWjKkvVRCzfn58cs32wwbWpk' +
  'WLeVEK/iLNDXb3bsvt6vxZWhEPTLknNBTOcwHgYH+z6gnQPhyU7Sqe5ZDdV+0ZmAPue1bjmEwG2YZq5c1llpNvU62W3lVwqFzTI3KPuFBHjSrF' +
  'Y5l5JahcI9bnAuXubJ4v3gImfenpP8Vu1GfFErrj790YNRzBAYFsQU/rv6UWEmHuNM/8V9i4c0fe42T6fUflLF0ZOq87Rwzc3f1gB1l0st89kh' +
  'kEy0z5f1VE3uBNDOIS0I8OyPUGurv7yavPpqJ3CZguldz5fx2IatEZI9BngLdkOUFbsM3Tp8S1jwNWaQHAwREIUKGQY2H2aYP2O3+PS5UKxnlJ' +
  'xlOH98BJKMQaahg/xgPjyJzqIxZGxYMIiYWWqXvoJBhZ/Y5nwatnNT3imeNXEYbHgd2PLaE0Q3jjqv8R7eopzxswQC+fOxOCznNf10dQKadmMv' +
  'DM4LTgrYbNoKkF1408Tx2ea1z3Dm1MvnKkNX/vTZ9tYebTgo55BD14sdckZ6aVyWRlfWlS8C69C01FrHDoG0cHv9OH+qIq8BtN59xypBf+TFtn' +
  'o95axKAu1Ok3SvELyCJbzhnxKllI1O/T1XPJjo81cI3tvT0zXvxfrdBaUMa7WGeC1x4uG3rMzZCZxrSsMtVwYTT5vJYTd4e/fgP18f6M8hMV50' +
  '6ZSZN8rIcO6YMPCgs9Vw9bY6rInOZY6P5DBIdfHBydgUynnFuQEDYW42pac8aq+5uMph7J8WVb5Y4eK0agYprRto3eqJP7NVy23nI/fQwip8tF' +
  'u2u7gGu3P8AD/dFhnU1tbGiIbEEV0JREk8xY1Hti7Z+sGgAZaA11QR+7JeSRsiSOsg4j9YZXHvjq1OIN8/iF8bPZYRJhq3D0LxusH93lY6TGrd' +
  'vzEuGezab5yRcDbBsEHnWFK50Oc8GypnWyoeyeHchO7JuTIOJwaD7hG0ZBfvKspic1SaR0usSW/ysZfDXak87HAen+TKcgmQXyOv6pKlMETXSg' +
  '+145L5DH5VgKd8D1eRdpr4KnvN5GCGsnJa4H3QrIc3RTAMNXdtDyloE6nLKFw7E8DI6Po9oqCgINWhbdL7KolS6hRfMDule0v1fcMyT7/08yjS' +
  'WlVLvGYAfv6foCWMESeqybCMBQ1KynmiDIOGIjJGPknHIMJrRp9zMlTOtqMIt/n8iCwMMm7x+a3QZWZYjkkCn7TvUgyBQCAQCAQCgUAgEAgEAo' +
  'FAIP6H/wDEeS9xAAT3lQAAAABJRU5ErkJggg==';
