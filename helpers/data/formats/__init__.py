"""Files of every form as samples, facts, mentions or documents, a function a form."""
