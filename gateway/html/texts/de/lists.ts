import type { Texts } from '../texts.js';

export const lists: Texts['lists'] = {
  local: 'Beiträge von hier',
  localText: (title) => `Öffentliche Beiträge von Leuten auf ${title}.`,
  everybody: 'Alle bekannten Beiträge',
  everybodyText: 'Öffentliche Beiträge dieses Servers und der Server, die er kennt.',
  tag: (name) => `Beiträge mit #${name}`,
  explore: 'Entdecken',
  exploreText: 'Das lesen, teilen und besprechen die Leute auf diesem Server gerade.',
  popularPosts: 'Beliebte Beiträge',
  popularTags: 'Beliebte Hashtags',
  popularLinks: 'In den Nachrichten',
  people: 'Leute',
  directory: 'Verzeichnis',
  directoryText: 'Leute, die gefunden werden möchten.',
  active: 'Zuletzt aktiv',
  newest: 'Neueste',
  thisServer: 'Dieser Server',
  allServers: 'Alle bekannten Server',
  usedBy: (count) => `${count} ${count === 1 ? 'Person' : 'Leute'} in der letzten Woche`,
};
