import type { Texts } from '../texts.js';

export const errors: Texts['errors'] = {
  400: ['Die Anfrage war nicht verständlich', 'Adresse oder Formular enthalten etwas, das nicht dorthin gehört.'],
  401: ['Bitte anmelden', 'Diese Seite braucht ein Konto.'],
  403: ['Nicht erlaubt', 'Das darfst du nicht sehen oder tun.'],
  404: ['Seite nicht gefunden', 'Unter dieser Adresse ist nichts. Es wurde gelöscht, oder es gab es nie.'],
  405: ['Das geht hier nicht', 'Diese Adresse nimmt nicht an, was der Browser geschickt hat.'],
  410: ['Gelöscht', 'Was hier war, wurde gelöscht.'],
  413: ['Zu groß', 'Der Browser hat mehr geschickt, als dieser Server annimmt.'],
  422: ['Das hat nicht gepasst', 'In der Anfrage fehlt etwas, oder etwas ist ungültig.'],
  429: ['Zu viele Anfragen', 'Bitte warte ein wenig, bevor du es wieder versuchst.'],
  500: ['Etwas ist schiefgegangen', 'Der Fehler liegt bei uns.'],
  503: ['Gerade nicht erreichbar', 'Der Server kann jetzt nicht antworten. Bitte versuche es noch einmal.'],
};
