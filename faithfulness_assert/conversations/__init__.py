"""Messages of any provider become events, and events become answer, question and evidence."""
