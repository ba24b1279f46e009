/** Texts of the pages for moderators. */
export const moderation = {
  reports: 'Reports',
  open: 'Open',
  resolved: 'Resolved',
  none: 'There are no reports here.',
  by: 'Reported by',
  posts: 'Reported posts',
  rules: 'Broken rules',
  assigned: 'Assigned to',
  assign: 'Assign to me',
  unassign: 'Unassign',
  resolve: 'Resolve',
  reopen: 'Reopen',
};
