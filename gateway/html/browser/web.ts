import { watchButtons } from './buttons.js';
import { watchNews } from './news.js';

// The script of the built-in client. Pages work without it: it adds live news, and buttons that answer at once.
watchButtons();
watchNews();
